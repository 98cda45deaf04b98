/** Patch files of a node, in the order in which they are applied. */

import { systemReason } from "../../lib/files/system_reason.ts";
import { ConfigError } from "../../errors.ts";
import { formatRole, type Site, type SiteNode } from "./site.ts";
import { inFolder } from "./site_file.ts";

/** A patch, or a template of one. */
const isPatch = /\.ya?ml(\.tpl)?$/;

/** Folders of a node; later ones win. */
export function listPatchFolders(
  { patchesFolder }: Pick<Site, "patchesFolder">,
  node: Pick<SiteNode, "role" | "groups" | "host">,
): readonly string[] {
  return [
    "all",
    formatRole(node),
    ...node.groups.map((group) => `group/${group}`),
    `node/${node.host}`,
  ].map((folder) => inFolder(patchesFolder, folder));
}

/**
 * Lists the patch files of a folder in the order of their paths, with those of the folders inside and behind links.
 * A missing folder has none. Throws `ConfigError` if a folder cannot be read, or a link leads back to a folder around.
 */
export async function listPatchFiles(
  folder: string,
  around: readonly string[] = [],
): Promise<readonly string[]> {
  try {
    const real = await Deno.realPath(folder);
    if (around.includes(real)) {
      throw new ConfigError(
        `Cannot read "${folder}": the link leads to a folder around it`,
      );
    }
    const found: string[] = [];
    for (const name of await listNames(folder)) {
      const path = `${folder}/${name}`;
      const { isDirectory } = await Deno.stat(path);
      if (isDirectory) {
        found.push(...await listPatchFiles(path, [...around, real]));
      } else if (isPatch.test(name)) found.push(path);
    }
    return found;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    if (isMissing && around.length === 0) return [];
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ConfigError(`Cannot read "${folder}": ${systemReason(error)}`, {
      cause: error,
    });
  }
}

/** Lists the entries of a folder; a missing one has none. */
export async function listNames(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) names.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}
