/** Files of a directory, as trees with positions. */

import { findChild } from "../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../config/tree/read.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import type { SiteEnvironment } from "./site_environment.ts";

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
 * Parses a text of the directory. Throws `ConfigError` if it is not YAML.
 */
export function readSiteDocuments(
  text: string,
  path: string,
): readonly ReadDocument[] {
  const { documents } = readDocuments(text, path);
  for (const { root } of documents) {
    if (findChild(root, "sops") === undefined) continue;
    throw new ConfigError(`Cannot read "${path}": it is encrypted with SOPS`, {
      hint: `Decrypt it first: sops decrypt ${path}`,
    });
  }
  return documents;
}

/**
 * Runs a provider of nodes or secrets.
 *
 * @param args Its arguments: `nodes <cluster>`.
 * @returns Its standard output.
 * @throws {OsctlError} If it does not end with status 0.
 */
export async function runProvider(
  program: string,
  args: readonly string[],
  { runProgram, signal }: SiteEnvironment,
  input: string | null = null,
): Promise<string> {
  const call = { program, args, input, env: {}, inheritAll: true } as const;
  const { status, stdout, stderr } = await runProgram(call, signal);
  if (status === 0) return stdout;
  const line = stderr.trim().split("\n").at(-1) ?? "";
  throw new OsctlError(
    `"${program} ${args.join(" ")}" failed with status ${status}${
      line === "" ? "" : `: ${line}`
    }`,
  );
}

/** Joins a path of the directory with its folder. */
export function inFolder(folder: string, path: string): string {
  if (path.startsWith("/") || folder === "") return path || ".";
  return path === "" ? folder : `${folder}/${path}`;
}
