/** Files of a directory, as trees with positions. */

import type { ConfigNode } from "../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../config/tree/read.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";
import { runResolver, withResolved } from "./resolver.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { decryptFile } from "./sops_file.ts";

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

/**
 * Parses a file of the directory. Values that are encrypted with SOPS, or references of `vals`, are resolved, and masked
 * in all output from now on. Throws `ConfigError` if it is not YAML, or they cannot be resolved.
 */
export async function parseSiteFile(
  text: string,
  path: string,
  environment: SiteEnvironment,
): Promise<readonly ReadDocument[]> {
  const { documents } = readDocuments(text, path);
  const plain = await decryptFile(documents, path, environment);
  if (!plain.some(({ root }) => hasReference(root))) return plain;
  const input = writeDocuments(plain.map(({ root }) => root));
  const call = { program: "vals", args: ["eval", "-f", "-"], input };
  const resolved = await runResolver("resolve", path, call, environment);
  return withResolved(plain, resolved, path, isReference);
}

function isReference(text: string): boolean {
  return /^ref\+[a-zA-Z0-9]+:\/\//.test(text);
}

function hasReference(node: ConfigNode): boolean {
  switch (node.kind) {
    case "scalar":
      return isReference(node.text);
    case "list":
      return node.items.some(({ value }) => hasReference(value));
    case "map":
      return node.entries.some(({ value }) => hasReference(value));
  }
}

/** Joins a path of the directory with its folder. */
export function inFolder(folder: string, path: string): string {
  if (path.startsWith("/") || folder === "") return path || ".";
  return path === "" ? folder : `${folder}/${path}`;
}
