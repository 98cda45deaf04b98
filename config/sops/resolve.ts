/** Programs that know secrets: `sops` and `vals`. */

import { ConfigError } from "../../errors.ts";
import { processMasker } from "../../lib/masker.ts";
import type { ProgramCall, RunProgram } from "../../lib/run_program.ts";
import { type ConfigNode, withValues } from "../tree/node.ts";
import { type ReadDocument, readDocuments } from "../tree/read.ts";

/** What reading and writing files with secrets may use besides them. */
export interface SecretEnvironment {
  /** Value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Operating system: `linux`, `darwin`. */
  readonly os: string;
  readonly runProgram: RunProgram;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/**
 * Runs `sops` or `vals` for a file.
 *
 * @param action `decrypt`, for messages.
 * @returns Its standard output.
 * @throws {ConfigError} If it is not installed, or does not end with status 0.
 */
export async function runResolver(
  action: string,
  path: string,
  call: Pick<ProgramCall, "program" | "args" | "input">,
  { runProgram, signal }: SecretEnvironment,
): Promise<string> {
  const { program, args } = call;
  const { status, stdout, stderr } = await runProgram(
    { ...call, env: {}, inheritAll: true },
    signal,
  ).catch((cause) => {
    if (!(cause instanceof ConfigError)) throw cause;
    const reason = cause.message.replace(/^Cannot/, "cannot");
    throw new ConfigError(`Cannot ${action} "${path}": ${reason}`, {
      cause,
      hint: `Install ${program}: it has the keys that osctl cannot use`,
    });
  });
  if (status === 0) return stdout;
  const reason = stderr.trim().split("\n").find((line) => line.trim() !== "");
  throw new ConfigError(
    `Cannot ${action} "${path}": ${program}: ${reason ?? `status ${status}`}`,
    { hint: `See: ${program} ${args.join(" ")}` },
  );
}

/**
 * Takes the values that a program has resolved into a file; they are masked in all output from now on.
 *
 * @param text What the program printed.
 * @param isResolved Chooses texts of the file that the program replaces.
 */
export function withResolved(
  documents: readonly ReadDocument[],
  text: string,
  path: string,
  isResolved: (text: string) => boolean,
): readonly ReadDocument[] {
  const resolved = readDocuments(text, path).documents;
  return documents.map((document, index) => ({
    ...document,
    root: takeResolved(document.root, resolved[index]?.root, isResolved),
  }));
}

function takeResolved(
  node: ConfigNode,
  resolved: ConfigNode | undefined,
  isResolved: (text: string) => boolean,
): ConfigNode {
  if (node.kind !== "scalar") {
    const children = new Map<string | number, ConfigNode>(
      resolved?.kind === "map"
        ? resolved.entries.map(({ key, value }) => [key, value] as const)
        : resolved?.kind === "list"
        ? resolved.items.map(({ value }, index) => [index, value] as const)
        : [],
    );
    return withValues(
      node,
      (value, key) => takeResolved(value, children.get(key), isResolved),
    );
  }
  if (resolved === undefined || !isResolved(node.text)) return node;
  learn(resolved);
  return node.at === undefined ? resolved : { ...resolved, at: node.at };
}

function learn(node: ConfigNode): ConfigNode {
  if (node.kind !== "scalar") return withValues(node, learn);
  processMasker.add(node.text);
  return node;
}
