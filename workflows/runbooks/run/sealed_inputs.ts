/** Hashes of input files: a run resumes with the same files it started with. */

import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import { fileHash } from "../../etcd/snapshot/snapshot_file.ts";
import { allSteps } from "../language/walk.ts";
import type { Runbook } from "../runbook.ts";
import type { RunHeader } from "../store/run_header.ts";

type Values = Readonly<Record<string, Json>>;

/**
 * Hashes the input files of a run.
 *
 * @param inputs Input values.
 * @returns SHA-256 by input name, hexadecimal; none for missing files.
 */
export async function sealFiles(
  runbook: Runbook,
  inputs: Values,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const sealed: Record<string, string> = {};
  for (const name of readInputs(runbook)) {
    const hash = await hashOf(inputs[name], signal);
    if (hash !== undefined) sealed[name] = hash;
  }
  return sealed;
}

/**
 * Refuses files that have changed since the run was started.
 *
 * @param changed Inputs changed by an operator since.
 * @throws {ConfigError} Naming the file.
 */
export async function refuseChangedFiles(
  { id, inputs, inputFiles = {} }: RunHeader,
  changed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, sha256] of Object.entries(inputFiles)) {
    if (changed.has(name)) continue;
    const now = await hashOf(inputs[name], signal);
    // A step that needs a missing file reports it itself.
    if (now === undefined || now === sha256) continue;
    throw new ConfigError(
      `Cannot resume run "${id}": "${
        inputs[name]
      }" (input "${name}") has changed since the run started`,
      { hint: "Restore the file, or start another run with the new one" },
    );
  }
}

/** Names of `path` inputs that are only read: steps that write to a file call it `path`. */
function readInputs(
  { inputs, steps, rescue, always }: Runbook,
): readonly string[] {
  const written = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => {
      if (step.verb === "use") return [JSON.stringify(step.with)];
      return step.verb === "run" ? [JSON.stringify(step.with.path ?? "")] : [];
    });
  return Object.entries(inputs).flatMap(([name, { type }]) => {
    const isPath = type === "path";
    const isWritten = written.some((text) =>
      new RegExp(`\\binputs\\.${name}\\b`).test(text)
    );
    return isPath && !isWritten ? [name] : [];
  });
}

async function hashOf(
  path: Json | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (typeof path !== "string" || path === "") return undefined;
  try {
    return await fileHash(path, signal);
  } catch (error) {
    // A step that reads it reports the error.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
