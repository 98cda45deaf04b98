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
import { defaultRelease } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import { opening } from "../runbooks/language/scalars.ts";
import { madeInstaller } from "../upgrade/installer_reference.ts";
import { evaluateExpressions, type ResolvedNode } from "./expressions.ts";
import { listPatchFiles, listPatchFolders } from "./patch_files.ts";
import { computeSchematicId, readSchematicId } from "./schematic.ts";
import type { Site, SiteNode } from "./site.ts";
import { inFolder, readSiteDocuments, readSiteText } from "./site_file.ts";

/** What a node would get. */
export interface RenderedNode {
  readonly node: SiteNode;
  /** OS version with `v`. */
  readonly version: string;
  /** Installer image. */
  readonly image: string;
  /** Id of the schematic of the image. */
  readonly schematicId: string;
  /** Patch files, in order. */
  readonly files: readonly string[];
  readonly documents: readonly ConfigDocument[];
  /** The configuration as text. */
  readonly text: string;
  /** What a node of this version would refuse, and warnings. */
  readonly problems: readonly DocumentProblem[];
}

/** Renders one node. Throws `ConfigError` if a patch does not fit. */
export type RenderNode = (node: SiteNode) => Promise<RenderedNode>;

/** Makes the function that renders nodes; what nodes have in common is read once. */
export function makeRenderer(site: Site, secrets: SecretsBundle): RenderNode {
  const readOnce = remember((path: string) => readSiteText(path, "a patch"));
  const patchOnce = remember(async (path: string) =>
    toPatches(await readOnce(path), path)
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
      throw new ConfigError(`Cannot use "${path}": it is a template`);
    }
    if (site.isTopf || !text.includes(opening)) return await patchOnce(path);
    const documents = readSiteDocuments(text, path);
    return splitPatches(evaluateExpressions(documents, site, node), path);
  }

  return async (node) => {
    const version = node.talosVersion ?? defaultRelease;
    const contract = parseContract(version);
    const schematicId = await findSchematicId(site, node, readOnce);
    const { factory: host, platform, secureBoot } = node;
    const image = madeInstaller({
      host,
      version,
      schematic: schematicId,
      platform,
      secureBoot,
    });
    const resolved = { ...node, schematicId, version };
    const files: string[] = [];
    for (const folder of listPatchFolders(site, node)) {
      files.push(...await listPatchFiles(folder));
    }
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
      image,
      schematicId,
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
    kubernetesVersion,
    contract,
    secrets,
    // Patches choose the disk, and the image is the first patch.
    installDisk: "",
    installImage: "",
    ...dnsDomain !== undefined && { dnsDomain },
    ...certSans !== undefined && { sans: certSans },
    ...discovery !== undefined && { discovery },
    ...kubespan !== undefined && { kubespan },
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

async function findSchematicId(
  { folder }: Site,
  { schematic }: SiteNode,
  read: (path: string) => Promise<string>,
): Promise<string> {
  if ("id" in schematic) return schematic.id;
  if ("parts" in schematic) return await computeSchematicId(schematic.parts);
  const path = inFolder(folder, schematic.path);
  return await readSchematicId(await read(path), path);
}

function toPatches(text: string, path: string): readonly Patch[] {
  return splitPatches(readSiteDocuments(text, path), path);
}

/** One patch for each document: a file may patch the same document twice. */
function splitPatches(
  documents: ReturnType<typeof readSiteDocuments>,
  path: string,
): readonly Patch[] {
  return documents.map((document) => {
    const { root } = document;
    // Comments of patches would end up anywhere in the configuration.
    const bare = root.kind === "map" ? withoutComments(root) : root;
    const patch = toPatch([{ ...document, root: bare }], path);
    if (patch.kind === "merge") return patch;
    const { line, column } = root.at ?? { line: 1, column: 1 };
    throw new ConfigError(
      `Cannot use "${path}": JSON patch at line ${line}, column ${column}`,
      { hint: "Write it as a strategic merge patch" },
    );
  });
}

/** Remembers the results of a function, also while they are computed. */
function remember<T>(
  compute: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (key) => {
    const known = results.get(key) ?? compute(key);
    results.set(key, known);
    return known;
  };
}
