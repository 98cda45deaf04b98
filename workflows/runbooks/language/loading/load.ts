/** Loads a runbook and all it uses, and reports every problem in them at once. */

import { sha256Hex } from "../../../../lib/sha256.ts";
import { readBoundedText } from "../../../../lib/files/bounded_file.ts";
import { toCursor } from "../../../../config/documents/cursor.ts";
import type { MapNode } from "../../../../config/tree/node.ts";
import { nearest } from "../../../../lib/text/nearest.ts";
import { readDocuments } from "../../../../config/tree/read.ts";
import { MisreadError } from "../../../../lib/text/text_position.ts";
import { ConfigError } from "../../../../errors.ts";
import { builtinNames, builtinText } from "../../builtin/builtin_runbooks.ts";
import type { Runbook, SourcePosition } from "../../runbook.ts";
import { checkRunbook } from "../typing/check_runbook.ts";
import { fit, suggest } from "../match_shape.ts";
import {
  builtinPrefix,
  type Inclusion,
  inclusionsIn,
  plainPath,
  resolveUse,
} from "./include.ts";
import { runbook as shape } from "../language.ts";
import { findAll, type Finders, type FoundNames } from "../lookup.ts";
import { ProgramError, RunbookError, type SourceProblem } from "../problem.ts";
import { findMaking, inProgram, type MadeParts } from "../source_places.ts";
import type { BuiltDocument } from "../typescript/sandbox.ts";
import { ruleProblems, sizeProblems } from "./rules.ts";
import { parseRunbook, standIn } from "../parse_runbook.ts";
import { allSteps } from "../walk.ts";

/** A valid runbook, and its files. */
export interface LoadedRunbook {
  readonly runbook: Runbook;
  /** All files, the runbook's own first. */
  readonly files: readonly LoadedFile[];
}

interface LoadedFile {
  /** Path as typed, for used runbooks relative to the same folder; or `builtin:name`. */
  readonly path: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  readonly text: string;
}

/** Options for loading runbooks. */
export interface LoadOptions {
  /** Finders of modules and checks. */
  readonly find: Finders;
  /** Checks expressions; default {@linkcode checkRunbook}. */
  readonly check?: (
    runbook: Runbook,
    found: FoundNames,
  ) => readonly SourceProblem[];
  /** Builds the document of a TypeScript program; without it programs are refused. */
  readonly build?: (path: string, text: string) => Promise<BuiltDocument>;
  /** Reads a file, `undefined` when it does not exist; default from disk. */
  readonly read?: (path: string) => Promise<string | undefined>;
}

const deepest = 8;

interface Loading extends LoadOptions {
  readonly files: LoadedFile[];
  readonly problems: SourceProblem[];
  readonly runbooks: Map<string, Runbook>;
  /** Parts made by programs, by file. */
  readonly made: Map<string, MadeParts>;
}

/**
 * Loads a runbook.
 *
 * @param source Path of a file, or `builtin:name`.
 * @throws {RunbookError} If it or a used runbook is invalid; lists all problems.
 * @throws {ConfigError} If it cannot be read.
 */
export async function loadRunbook(
  source: string,
  options: LoadOptions,
): Promise<LoadedRunbook> {
  const loading: Loading = {
    ...options,
    files: [],
    problems: [],
    runbooks: new Map(),
    made: new Map(),
  };
  const { path, text } = await sourceText(source, loading);
  const runbook = await runbookFrom(path, text, [path], loading);
  const all = [...loading.runbooks.values()];
  const names = all.flatMap(modulesIn);
  const found = await findAll(names, options.find);
  const check = options.check ?? checkRunbook;
  const problems = [...loading.problems, ...sizeProblems(runbook)];
  for (const find of [ruleProblems, check]) {
    const more = all.flatMap((one) => find(one, found));
    problems.push(...elsewhere(problems, more));
  }
  if (problems.length > 0) {
    throw new RunbookError(source, byFile(problems, loading));
  }
  return { runbook, files: loading.files };
}

/** Drops problems that only follow from a wrong shape at the same place. */
function elsewhere(
  reported: readonly SourceProblem[],
  more: readonly SourceProblem[],
): readonly SourceProblem[] {
  const places = new Set(reported.map(({ place }) => JSON.stringify(place)));
  return more.filter(({ place }) => !places.has(JSON.stringify(place)));
}

function byFile(
  problems: readonly SourceProblem[],
  { files, made }: Loading,
): readonly SourceProblem[] {
  return files.flatMap(({ path }) => {
    const own = problems.filter(({ place }) => place.file === path);
    const making = made.get(path);
    const placed = making === undefined
      ? own
      : own.map((problem) => inProgram(problem, making));
    return placed.map(withFirst);
  });
}

function withFirst({ first, message, ...rest }: SourceProblem): SourceProblem {
  return first === undefined
    ? { ...rest, message }
    : { ...rest, message: `${message} in line ${first.line}` };
}

async function runbookFrom(
  path: string,
  text: string,
  chain: readonly string[],
  loading: Loading,
): Promise<Runbook> {
  const place = { file: path, line: 1, column: 1 };
  loading.files.push({ path, sha256: await sha256Hex(text), text });
  const root = await loadRoot(path, text, loading);
  if (root === undefined) {
    const nothing = standIn({ place });
    loading.runbooks.set(path, nothing);
    return nothing;
  }
  const at = toCursor(root);
  const lists = ["steps", "rescue", "always"].map((key) => at.get(key));
  const used = new Map<string, Runbook>();
  // Sequential, so that the order of files and problems is deterministic.
  for (const inclusion of inclusionsIn(lists, place)) {
    if (used.has(inclusion.target)) continue;
    used.set(inclusion.target, await include(inclusion, chain, loading));
  }
  const runbook = parseRunbook(root, {
    place: root.at ?? place,
    used: (target) => used.get(target) ?? standIn({ place }),
  });
  loading.runbooks.set(path, runbook);
  return runbook;
}

async function loadRoot(
  path: string,
  text: string,
  loading: Loading,
): Promise<MapNode | undefined> {
  const place = { file: path, line: 1, column: 1 };
  const { problems } = loading;
  try {
    const { document, calls } = await loadDocument(path, text, loading);
    const { documents } = readDocuments(document, path, { mergeKeys: false });
    const [first, second] = documents;
    if (first === undefined) {
      problems.push({
        place,
        message: "The file is empty",
        hint: "Create one with: osctl runbook new",
      });
      return undefined;
    }
    if (second !== undefined) {
      problems.push({
        place: second.root.at ?? place,
        message: "A second document starts here",
        hint: "Put each runbook into its own file",
      });
    }
    if (isProgram(path)) {
      loading.made.set(path, findMaking(first.root, calls));
    }
    problems.push(...fit(first.root, shape, place));
    return first.root.kind === "map" ? first.root : undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(asProblem(error, place));
    return undefined;
  }
}

async function loadDocument(
  path: string,
  text: string,
  { build }: Loading,
): Promise<BuiltDocument> {
  if (!isProgram(path)) return { document: text, calls: [] };
  if (build !== undefined) return await build(path, text);
  throw new ConfigError(
    `Cannot load "${path}": TypeScript runbooks are not loaded here`,
  );
}

function isProgram(path: string): boolean {
  return /\.[mc]?[jt]s$/.test(path);
}

async function include(
  { target, place }: Inclusion,
  chain: readonly string[],
  loading: Loading,
): Promise<Runbook> {
  const from = chain.at(-1) ?? "";
  const resolved = resolveUse(target, from);
  if (!("source" in resolved)) {
    loading.problems.push({ place, ...resolved });
    return standIn({ place });
  }
  const { source } = resolved;
  const wrong = chainFault(source, chain);
  if (wrong !== undefined) {
    loading.problems.push({ place, ...wrong });
    return standIn({ place });
  }
  const known = loading.runbooks.get(source);
  if (known !== undefined) return known;
  const text = await includedText(source, place, loading);
  if (text === undefined) return standIn({ place });
  return await runbookFrom(source, text, [...chain, source], loading);
}

function chainFault(
  source: string,
  chain: readonly string[],
): Pick<SourceProblem, "message" | "hint"> | undefined {
  const first = chain.indexOf(source);
  if (first >= 0) {
    const circle = [...chain.slice(first), source].join(" -> ");
    return {
      message: `The runbook includes itself: ${circle}`,
      hint: "Remove one of the uses",
    };
  }
  if (chain.length <= deepest) return undefined;
  return {
    message: `Runbooks are nested more than ${deepest} levels deep`,
    hint: "Nest fewer runbooks",
  };
}

async function includedText(
  source: string,
  place: SourcePosition,
  loading: Loading,
): Promise<string | undefined> {
  try {
    const text = await readText(source, loading);
    if (text === undefined) {
      const { message, hint } = missing(source);
      loading.problems.push({ place, message, ...toHint(hint) });
    }
    return text;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { message, hint } = error;
    loading.problems.push({ place, message, ...toHint(hint) });
    return undefined;
  }
}

async function readText(
  source: string,
  { read }: Loading,
): Promise<string | undefined> {
  if (source.startsWith(builtinPrefix)) {
    return builtinText(source.slice(builtinPrefix.length));
  }
  if (read !== undefined) return await read(source);
  return await readBoundedText({
    path: source,
    limitMib: 4,
    expected: "a runbook",
  });
}

/** Reads the source; a file takes precedence over a built-in runbook of the same name. */
async function sourceText(
  source: string,
  loading: Loading,
): Promise<{ readonly path: string; readonly text: string }> {
  const own = `${builtinPrefix}${source}`;
  const places = source.startsWith(builtinPrefix)
    ? [source]
    : [plainPath(source), ...builtinNames.includes(source) ? [own] : []];
  for (const path of places) {
    // The second is read only when the first does not exist.
    const text = await readText(path, loading);
    if (text !== undefined) return { path, text };
  }
  throw missing(source);
}

function missing(source: string): ConfigError {
  if (source.startsWith(builtinPrefix)) {
    const name = source.slice(builtinPrefix.length);
    return new ConfigError(`There is no builtin runbook "${name}"`, {
      hint: suggest(name, builtinNames),
    });
  }
  const near = nearest(source, builtinNames);
  return new ConfigError(
    `There is no file "${source}"`,
    near === undefined ? {} : { hint: `Did you mean "${near}"?` },
  );
}

/** Turns a read error into a problem of the file. `error`: cause, maybe with a place. */
export function asProblem(
  error: ConfigError,
  file: SourcePosition,
): SourceProblem {
  const { message, hint } = error;
  if (!(error instanceof MisreadError || error instanceof ProgramError)) {
    return { place: file, message, ...toHint(hint) };
  }
  const { line, column } = error.at ?? file;
  const verb = error instanceof ProgramError ? "use" : "read";
  return {
    place: { file: file.file, line, column },
    message: `Cannot ${verb} it: ${error.fault}`,
    ...toHint(hint),
  };
}

function toHint(hint: string | undefined): Pick<SourceProblem, "hint"> {
  return hint === undefined ? {} : { hint };
}

function modulesIn(runbook: Runbook): readonly string[] {
  const { steps, rescue, always } = runbook;
  return [...allSteps([...steps, ...rescue, ...always])].flatMap((step) =>
    step.verb === "run" ? [step.module] : []
  );
}
