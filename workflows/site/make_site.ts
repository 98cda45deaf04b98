/** Makes a directory that renders to given configurations. */

import { diffDocuments, type DocumentChange } from "../../config/diff.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import { encryptFiles } from "../../config/sops/new_files.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { renderSecrets } from "../../config/generate/secrets_file.ts";
import type { Plain } from "../../config/tree/node.ts";
import type { NewFile } from "../../lib/files/file_set.ts";
import { versionKey } from "./site_keys.ts";
import { parseSite } from "./load_site.ts";
import { type NodePatch, placePatches } from "./place_patches.ts";
import { makeRenderer } from "./render_node.ts";
import type { SiteNode } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { inFolder } from "../../lib/files/atomic_file.ts";
import { makeSiteFiles } from "./starter.ts";

/** Settings of `site.yaml`, or of a node in it. */
export type SiteSettings = { readonly [key: string]: Plain | undefined };

/** A node of a new directory. */
export interface NewNode {
  /** Its entry in `site.yaml`, with `host` and `role`. */
  readonly settings: SiteSettings;
  /**
   * Finds its configuration.
   *
   * @param base What the site makes of it without patches.
   */
  readonly configure: (base: readonly ConfigDocument[]) => NodeConfiguration;
}

interface NodeConfiguration {
  readonly wanted: readonly ConfigDocument[];
  /** Patches that lead to it, in order. */
  readonly patches: readonly NodePatch[];
}

/** What a new directory has. */
export interface SiteContent {
  readonly name: string;
  /** Settings of `site.yaml` without nodes. */
  readonly settings: SiteSettings;
  readonly nodes: readonly NewNode[];
  readonly secrets: SecretsBundle;
  /** Values that were encrypted: patches that have them are secret, too. */
  readonly secretTexts?: readonly string[];
}

/** A directory to make. */
interface NewSite extends SiteContent {
  readonly folder: string;
  readonly schema: string;
}

/** Settings of the image, which the site may have for all nodes. */
const imageKeys: ReadonlySet<string> = new Set([
  versionKey,
  ...["schematicId", "extensions", "kernelArgs", "overlay"],
  ...["factory", "platform", "secureboot"],
]);

/** A made directory. */
export interface MadeSite {
  /** Files to write, with the folder in their paths. */
  readonly files: readonly NewFile[];
  /** Paths of patches with secrets, which git ignores. */
  readonly secretPatches: readonly string[];
  /** Renders the written directory and compares it with the given configurations. */
  readonly compare: () => Promise<readonly NodeDifference[]>;
}

/** What is different in a rendered node. */
interface NodeDifference {
  readonly host: string;
  readonly changes: readonly DocumentChange[];
}

/** Makes a directory; nothing is written. Throws `SiteError` if a setting is not valid. */
export async function makeSite(
  { folder, settings, nodes, secrets, secretTexts = [], schema }: NewSite,
  environment: SiteEnvironment,
): Promise<MadeSite> {
  const siteFiles = makeSiteFiles(hoist(settings, nodes), schema);
  const [{ path = "", content = "" } = {}] = siteFiles;
  const { site } = await parseSite(
    String(content),
    inFolder(folder, path),
    environment,
  );
  const render = makeRenderer(site, secrets, environment);
  const configured = new Map<SiteNode, NodeConfiguration>();
  const wanted = [];
  for (const [index, { configure }] of nodes.entries()) {
    const { host: name } = nodes[index]?.settings ?? {};
    const node = site.nodes.find(({ host }) => host === name);
    if (node === undefined) continue;
    const { documents: base } = await render(node);
    const configuration = configure(base);
    configured.set(node, configuration);
    wanted.push({ host: node.host, role: node.role, base, ...configuration });
  }
  const patches = placePatches(wanted);
  const secretPatches = patches.filter(({ hasSecrets, content }) =>
    hasSecrets || secretTexts.some((text) => content.includes(text))
  ).map(({ path }) => path);
  const files = [
    ...siteFiles,
    ...patches,
    { path: "secrets.yaml", content: renderSecrets(secrets) },
  ];
  const secretPaths = ["secrets.yaml", ...secretPatches];
  const made = await encryptFiles(folder, files, secretPaths, environment);
  return {
    files: made.files,
    secretPatches: secretPatches
      .filter((path) => made.plainPaths.includes(path))
      .map((path) => inFolder(folder, path)),
    compare: async () => {
      // What was read before the files were written is remembered.
      const rendered = makeRenderer(site, secrets, environment);
      const differences = [];
      for (const [node, { wanted }] of configured) {
        const { documents } = await rendered(node);
        const changes = diffDocuments(wanted, documents);
        if (changes.length > 0) differences.push({ host: node.host, changes });
      }
      return differences;
    },
  };
}

/** Settings of the site; those that are the same in all nodes come first. */
function hoist(settings: SiteSettings, nodes: readonly NewNode[]): Plain {
  const [first, ...others] = nodes.map((node) => node.settings);
  const same = Object.entries(first ?? {}).filter(([key, value]) =>
    imageKeys.has(key) &&
    others.every((one) => JSON.stringify(one[key]) === JSON.stringify(value))
  );
  const keys = new Set(same.map(([key]) => key));
  return {
    ...settings,
    ...Object.fromEntries(same),
    nodes: nodes.map((node) =>
      Object.fromEntries(
        Object.entries(node.settings).filter(([key, value]) =>
          !keys.has(key) && !(settings[key] === value && imageKeys.has(key))
        ),
      )
    ),
  };
}
