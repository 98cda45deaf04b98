/** Files that a run reads: a run resumes with the same files it started with. */

import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import { fileHash } from "../../etcd/snapshot/snapshot_file.ts";
import type { ValueField } from "../../runbook_cel/field.ts";
import type { FoundNames } from "../language/lookup.ts";
import { allSteps, stepsIn } from "../language/walk.ts";
import type { Runbook } from "../runbook.ts";

type Values = Readonly<Record<string, Json>>;

/** SHA-256 of files, hexadecimal, by path. */
export type FileHashes = Readonly<Record<string, string>>;

/** Files by path, with the place that names each: `input "patch"`, `step "workers/patch"`. */
type ReadFiles = ReadonlyMap<string, string>;

/** Inputs of modules whose files are written. */
const targets: ReadonlySet<string> = new Set([
  "path",
  "target",
  "output",
  "outputDir",
  "outputFile",
]);

/**
 * Finds the files that a run reads: those named by its inputs, by steps, and by runbooks that it uses. Excludes files
 * that it writes, and those whose names are known only during the run.
 *
 * @param inputs Input values.
 * @param found Modules of the runbook and of those it uses.
 */
export function findReadFiles(
  runbook: Runbook,
  inputs: Values,
  { module }: Pick<FoundNames, "module">,
): ReadFiles {
  const files = new Map<string, string>();
  const written = new Set<string>();
  const isRead = (name: string, key: string) =>
    !targets.has(key) && isPath(module(name)?.input[key]);
  const add = (value: Json | undefined, isFile: boolean, where: string) => {
    for (const path of isFile ? pathsIn(value) : listPrefixed(value)) {
      if (!files.has(path)) files.set(path, where);
    }
  };
  const addInputs = (book: Runbook, values: Values, where: string) => {
    const own = listNamed(book, (_, key) => targets.has(key));
    const read = listNamed(book, isRead);
    for (const [name, field] of Object.entries(book.inputs)) {
      const value = values[name] ?? field.initial;
      if (own.has(name)) addPaths(written, value);
      else {
        const isFile = isPath(field) || read.has(name);
        add(value, isFile, `input "${name}"${where}`);
      }
    }
  };
  addInputs(runbook, inputs, "");
  const { steps, rescue, always } = runbook;
  for (const step of allSteps([...steps, ...rescue, ...always])) {
    if (step.verb === "use") {
      const { runbook: used } = step;
      addInputs(used, step.with, ` of runbook "${used.name}"`);
    }
    if (step.verb !== "run") continue;
    for (const [key, value] of Object.entries(step.with)) {
      if (targets.has(key)) addPaths(written, value);
      else add(value, isRead(step.module, key), `step "${step.id}"`);
    }
  }
  for (const path of written) files.delete(path);
  return files;
}

function addPaths(into: Set<string>, value: Json | undefined): void {
  for (const path of pathsIn(value)) into.add(path);
}

/** Paths that are known before the run. */
function pathsIn(value: Json | undefined): readonly string[] {
  return [value].flat().filter((one): one is string =>
    typeof one === "string" && one !== "" && one !== "-" && !one.includes("${{")
  );
}

/** Files of values like `@patch.yaml`. */
function listPrefixed(value: Json | undefined): readonly string[] {
  return pathsIn(value).flatMap((one) =>
    one.startsWith("@") ? [one.slice(1)] : []
  );
}

function isPath(field: ValueField | undefined): boolean {
  return field?.type === "path" || field?.items?.type === "path";
}

/** Names of inputs that inputs of modules are made from, also in used runbooks. */
function listNamed(
  runbook: Runbook,
  isWanted: (module: string, key: string) => boolean,
): ReadonlySet<string> {
  const texts = [...stepsIn(runbook)].flatMap(({ step }) => {
    if (step.verb !== "run" && step.verb !== "use") return [];
    const inner = step.verb === "use" && listNamed(step.runbook, isWanted);
    return Object.entries(step.with).filter(([key]) =>
      step.verb === "run" ? isWanted(step.module, key) : inner && inner.has(key)
    ).map(([, value]) => JSON.stringify(value));
  });
  const isNamed = (kind: "inputs" | "vars", name: string) =>
    texts.some((text) => new RegExp(`\\b${kind}\\.${name}\\b`).test(text));
  // A variable may use those before it.
  for (const { name, value } of runbook.vars.toReversed()) {
    if (isNamed("vars", name)) texts.push(JSON.stringify(value));
  }
  return new Set(
    Object.keys(runbook.inputs).filter((name) => isNamed("inputs", name)),
  );
}

/** Hashes files; omits those that cannot be read: a step that needs one reports it. */
export async function hashFiles(
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<FileHashes> {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const hash = await hashIfReadable(path, signal);
    if (hash !== undefined) hashes[path] = hash;
  }
  return hashes;
}

/**
 * Refuses files that have changed since the run started, or can no longer be read.
 *
 * @param id Id of the run.
 * @param hashes Their hashes then; other files are not checked.
 * @throws {ConfigError} Naming the file.
 */
export async function refuseChangedFiles(
  id: string,
  files: ReadFiles,
  hashes: FileHashes,
  signal: AbortSignal,
): Promise<void> {
  for (const [path, where] of files) {
    const before = hashes[path];
    if (before === undefined) continue;
    const now = await hashIfReadable(path, signal);
    if (now === before) continue;
    const about = `Cannot resume run "${id}": "${path}" (${where})`;
    throw now === undefined
      ? new ConfigError(`${about} can no longer be read`, {
        hint:
          "Restore the file, or resume in the directory where the run was started",
      })
      : new ConfigError(`${about} has changed since the run started`, {
        hint: "Restore the file, or start another run with the new one",
      });
  }
}

async function hashIfReadable(
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await fileHash(path, signal);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
