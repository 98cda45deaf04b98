/** Parses, formats and reads the client configuration. */

import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { parsePlainYaml } from "../yaml/plain_yaml.ts";
import { misread } from "../../lib/text/text_position.ts";
import type { Osconfig } from "./osconfig.ts";
import { readFields } from "./osconfig_fields.ts";

/** Largest client configuration, in MiB. */
const limitMib = 10;

/**
 * Reads a client configuration; creates nothing. Returns `undefined` if it does not exist.
 * Throws `ConfigError` if it is not readable, larger than 10 MiB, or invalid.
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
 * Parses a client configuration. A blank text is an empty configuration. Throws
 * `ConfigError` with file, line, column, field and the expected value.
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
 * Formats a client configuration. Unchanged parts keep their comments, order and unknown
 * fields; an unchanged text is returned as is.
 *
 * @param config Configuration; without `source`, the result is a new text.
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
