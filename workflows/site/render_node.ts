/** Renders the configurations of nodes. */

import { encodeDocuments } from "../../config/documents/encode.ts";
import type {
  ConfigDocument,
  DocumentProblem,
} from "../../config/documents/load.ts";
import {
  type Contract,
  parseContract,
  toOsVersion,
} from "../../config/generate/contract.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { applyPatches, type Patch, toPatch } from "../../config/patch.ts";
import { validateDocuments } from "../../config/validate.ts";
import { type Plain, toTree, withoutComments } from "../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../config/tree/read.ts";
import { defaultRelease } from "../../talos.ts";
import { remember } from "../../lib/remember.ts";
import { misread } from "../../lib/text/text_position.ts";
import { opening } from "../runbook_cel/template_text.ts";
import { madeInstaller } from "../upgrade/installer_reference.ts";
import { evaluateExpressions, type ResolvedNode } from "./expressions.ts";
import {
  type CanonicalSchematic,
  makeSchematic,
  parseSchematic,
} from "../upgrade/schematic.ts";
import type { Site, SiteNode } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { renderTemplate } from "./template_data.ts";
import { parseSecretFile } from "../../config/sops/file.ts";
import { inFolder } from "../../lib/files/atomic_file.ts";
import { listPatchFiles, readSiteText } from "./site_file.ts";

/** What a node would get. */
export interface RenderedNode {
  readonly node: SiteNode;
  readonly version: string;
  /** Id of the schematic of the installer image. */
  readonly schematicId: string;
  /** The schematic; `undefined` if the site has only its id. */
  readonly schematic: CanonicalSchematic | undefined;
  readonly files: readonly string[];
  readonly documents: readonly ConfigDocument[];
  readonly text: string;
  /** What a node of this version would refuse, and warnings. */
  readonly problems: readonly DocumentProblem[];
}

/** Renders one node. Throws `ConfigError` if a patch does not fit. */
export type RenderNode = (node: SiteNode) => Promise<RenderedNode>;

/** Makes the function that renders nodes; what nodes have in common is read once. */
export function makeRenderer(
  site: Site,
  secrets: SecretsBundle,
  environment: SiteEnvironment,
): RenderNode {
  const { env } = environment;
  const readOnce = remember((path: string) => readSiteText(path, "a patch"));
  const parseOnce = remember(async (path: string) =>
    await parseSecretFile(await readOnce(path), path, environment)
  );
  const patchOnce = remember(async (path: string) =>
    splitPatches(await parseOnce(path), path)
  );
  const generateOnce = remember((key: string) => {
    const [role, version = ""] = key.split(" ");
    const contract = parseContract(version);
    return Promise.resolve(
      generate(site, secrets, contract, role as SiteNode["role"]),
    );
  });

  async function readPatches(
    path: string,
    node: ResolvedNode,
  ): Promise<readonly Patch[]> {
    const text = await readOnce(path);
    if (path.endsWith(".tpl")) {
      const rendered = renderTemplate(text, path, { site, node, env });
      const name = `${path}, rendered`;
      return splitPatches(readDocuments(rendered, name).documents, name);
    }
    if (site.isTopf || !text.includes(opening)) return await patchOnce(path);
    const documents = await parseOnce(path);
    return splitPatches(evaluateExpressions(documents, site, node), path);
  }

  return async (node) => {
    const version = node.talosVersion ?? defaultRelease;
    const contract = parseContract(version);
    const schematic = await findSchematic(node, async (path) => {
      const full = inFolder(site.folder, path);
      const text = await readOnce(full);
      if (!path.endsWith(".tpl")) return await parseSchematic(text, full);
      const own = { ...node, schematicId: `@${path}`, version };
      return await parseSchematic(
        renderTemplate(text, full, { site, node: own, env }),
        `${full}, rendered`,
      );
    });
    const schematicId = typeof schematic === "string"
      ? schematic
      : schematic.id;
    const { factory: host, platform, secureBoot } = node;
    const image = madeInstaller({
      host,
      version,
      schematic: schematicId,
      platform,
      secureBoot,
    });
    const resolved = { ...node, schematicId, version };
    const files = await listPatchFiles(site, node);
    const patches: Patch[] = [ownPatch(image, node, contract)];
    // In order, so that errors always name the same file.
    for (const path of files) {
      patches.push(...await readPatches(path, resolved));
    }
    const base = await generateOnce(`${node.role} ${version}`);
    const documents = applyPatches(base, patches).documents.map(
      (document, index) => ({ ...document, number: index + 1 }),
    );
    return {
      node,
      version,
      schematicId,
      schematic: typeof schematic === "string" ? undefined : schematic,
      files,
      documents,
      text: encodeDocuments(
        documents,
        contract.singleQuotes ? "single" : "double",
      ),
      problems: validateDocuments({ documents, problems: [], empty: [] }, {
        mode: platform === "metal" ? "metal" : "cloud",
        osVersion: toOsVersion(contract),
      }),
    };
  };
}

function generate(
  { clusterName, clusterEndpoint, kubernetesVersion, kubernetes }: Site,
  secrets: SecretsBundle,
  contract: Contract,
  role: SiteNode["role"],
): readonly ConfigDocument[] {
  const { dnsDomain, certSans, discovery, kubespan } = kubernetes;
  return machineConfig({
    clusterName,
    endpoint: clusterEndpoint,
    kubernetesVersion: kubernetesVersion.replace(/^v/, ""),
    contract,
    secrets,
    // Patches choose the disk, and the image is the first patch.
    installDisk: "",
    installImage: "",
    ...{ dnsDomain, discovery, kubespan, sans: certSans },
  }, role);
}

/** What the file says of a node; every patch wins over it. */
function ownPatch(
  image: string,
  { labels }: SiteNode,
  contract: Contract,
): Patch {
  const hasLabels = Object.keys(labels).length > 0;
  const machine: Plain = {
    install: { image },
    ...hasLabels && !contract.split && { nodeLabels: labels },
  };
  const roots: readonly Plain[] = [
    { machine },
    ...hasLabels && contract.split
      ? [{ apiVersion: "v1alpha1", kind: "KubeNodeConfig", labels }]
      : [],
  ];
  const documents = roots.map((root, index) => ({
    root: toTree(root),
    number: index + 1,
  }));
  return toPatch(documents, "the site");
}

/** The schematic, or its id. */
async function findSchematic(
  { schematic }: SiteNode,
  read: (path: string) => Promise<CanonicalSchematic>,
): Promise<CanonicalSchematic | string> {
  if ("id" in schematic) return schematic.id;
  return "parts" in schematic
    ? await makeSchematic(schematic.parts)
    : await read(schematic.path);
}

/** One patch for each document: a file may patch the same document twice. */
function splitPatches(
  documents: readonly ReadDocument[],
  path: string,
): readonly Patch[] {
  return documents.map((document) => {
    const { root } = document;
    // Comments of patches would end up anywhere in the configuration.
    const bare = root.kind === "map" ? withoutComments(root) : root;
    const patch = toPatch([{ ...document, root: bare }], path);
    if (patch.kind === "merge") return patch;
    const hint = "Write it as a strategic merge patch";
    throw misread(path, root.at, "it is a JSON patch", hint);
  });
}
