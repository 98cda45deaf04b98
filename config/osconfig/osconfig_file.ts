/** The client configuration as text, and as a file that is only read. */

import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { parsePlainYaml } from "../yaml/plain_yaml.ts";
import { misread } from "../../lib/text/misread.ts";
import type { Osconfig } from "./osconfig.ts";
import { readFields } from "./osconfig_fields.ts";

/** Largest client configuration that is read, in MiB. */
const limitMib = 10;

/**
 * Reads a client configuration; nothing is created. Returns `undefined` when there is no such file.
 * Throws `ConfigError` if it may not be read, is larger than 10 MiB, or is wrong.
 */
export async function readOsconfig(
  path: string,
): Promise<Osconfig | undefined> {
  const text = await readBoundedText({
    path,
    limitMib,
    expected: "a client configuration",
  });
  return text === undefined ? undefined : await parseOsconfig(text, path);
}

/**
 * Reads a client configuration. A text without content is an empty configuration. Throws
 * `ConfigError`: names file, line, column, field and what would be right.
 */
export async function parseOsconfig(
  text: string,
  file: string,
): Promise<Osconfig> {
  refuseBinary(text, file);
  const tree = parsePlainYaml(text) ??
    (await import("./osconfig_yaml.ts")).parseTree(text, file);
  return { ...readFields(tree, file), source: text };
}

/**
 * Writes a client configuration as text. What did not change since it was read
 * keeps its comments, order and unknown fields; a text in which nothing changed
 * comes back as it was.
 *
 * @param config Configuration to write; without `source`, the result is a fresh text.
 */
export async function renderOsconfig(config: Osconfig): Promise<string> {
  return (await import("./new_osconfig.ts")).renderFresh(config) ??
    (await import("./osconfig_yaml.ts")).renderText(config);
}

function refuseBinary(text: string, file: string): void {
  const index = text.indexOf("\0");
  if (index < 0) return;
  const before = text.slice(0, index).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  throw misread(
    file,
    { line: before.length, column },
    "it contains a NUL byte",
    "Use a text file",
  );
}
