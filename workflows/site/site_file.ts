/** Files of a directory, as trees with positions. */

import { type ConfigNode, findChild } from "../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../config/tree/read.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { processMasker } from "../../lib/masker.ts";
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
 * Parses a file of the directory; if it is encrypted with SOPS, `sops` decrypts it, and its values are masked in all
 * output from now on. Throws `ConfigError` if it is not YAML or cannot be decrypted.
 */
export async function parseSiteFile(
  text: string,
  path: string,
  environment: Pick<SiteEnvironment, "runProgram" | "signal">,
): Promise<readonly ReadDocument[]> {
  const { documents } = readDocuments(text, path);
  if (!isEncrypted(documents)) return documents;
  const { documents: plain } = readDocuments(
    await decrypt(path, environment),
    path,
  );
  documents.forEach(({ root }, index) =>
    learnDecrypted(root, plain[index]?.root)
  );
  return plain;
}

/** Reports whether SOPS has encrypted a file. */
export function isEncrypted(documents: readonly ReadDocument[]): boolean {
  return documents.some(({ root }) => findChild(root, "sops") !== undefined);
}

async function decrypt(
  path: string,
  { runProgram, signal }: Pick<SiteEnvironment, "runProgram" | "signal">,
): Promise<string> {
  const args = ["decrypt", path];
  const call = { program: "sops", args, input: null, env: {} };
  const { status, stdout, stderr } = await runProgram(
    { ...call, inheritAll: true },
    signal,
  ).catch((cause) => {
    if (!(cause instanceof ConfigError)) throw cause;
    throw new ConfigError(
      `Cannot decrypt "${path}": ${cause.message.replace(/^Cannot/, "cannot")}`,
      { cause, hint: "Install sops, which has encrypted the file" },
    );
  });
  if (status === 0) return stdout;
  const reason = stderr.trim().split("\n").find((line) => line.trim() !== "");
  throw new ConfigError(
    `Cannot decrypt "${path}": sops: ${reason ?? `status ${status}`}`,
    { hint: `See: sops decrypt ${path}` },
  );
}

/** Masks what was encrypted. */
function learnDecrypted(
  encrypted: ConfigNode,
  plain: ConfigNode | undefined,
): void {
  if (plain === undefined) return;
  switch (encrypted.kind) {
    case "scalar":
      if (!encrypted.text.startsWith("ENC[") || plain.kind !== "scalar") return;
      return processMasker.add(plain.text);
    case "list":
      return encrypted.items.forEach(({ value }, index) =>
        learnDecrypted(
          value,
          plain.kind === "list" ? plain.items[index]?.value : undefined,
        )
      );
    case "map":
      return encrypted.entries.forEach(({ key, value }) =>
        learnDecrypted(value, findChild(plain, key))
      );
  }
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
