/** Files of a directory. */

import { inFolder } from "../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { filesBelow } from "../../lib/files/exists.ts";
import { ConfigError } from "../../errors.ts";
import { formatRole, type Site, type SiteNode } from "./site.ts";

/** Reads a text of the directory. Throws `ConfigError` if it is missing, unreadable or larger than 16 MiB. */
export async function readSiteText(
  path: string,
  expected: string,
): Promise<string> {
  const text = await readBoundedText({ path, limitMib: 16, expected });
  if (text !== undefined) return text;
  throw new ConfigError(`Cannot read "${path}": no such file`, {
    hint: `Give ${expected}`,
  });
}

/** A patch, or a template of one. */
const isPatch = /\.ya?ml(\.tpl)?$/;

/** Folders of patches of a node; later ones win. */
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

/** Lists the patch files of a node in the order in which they are applied. */
export async function listPatchFiles(
  site: Site,
  node: SiteNode,
): Promise<readonly string[]> {
  const files = await Array.fromAsync(
    listPatchFolders(site, node),
    (folder) => filesBelow(folder, (name) => isPatch.test(name)),
  );
  return files.flat();
}
