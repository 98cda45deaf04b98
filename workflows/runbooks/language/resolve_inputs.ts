/** Values of a runbook's inputs, from all sources. */

import { readBoundedBytes } from "../../../lib/files/bounded_file.ts";
import { learnSecret } from "../../../config/documents/load.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { Runbook, RunbookInput } from "../runbook.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { formatExpected } from "./field_value.ts";
import { suggest } from "./match_shape.ts";
import { inputFault } from "./input_value.ts";
import { placeWithin } from "./source_places.ts";

/** Sources of values; the first with a value wins, in the order of the fields. */
export interface InputSources {
  /** `name=value` of `--input`, as typed. */
  readonly given: readonly string[];
  /** `name=@file` and `name=env:NAME` of `--secret`, as typed. */
  readonly secrets: readonly string[];
  /** Secret values by name; {@linkcode secrets} win. */
  readonly secretValues?:
    | ReadonlyMap<string, Uint8Array<ArrayBuffer>>
    | undefined;
  /** File of `--inputs`: its name and its text. */
  readonly file?: { readonly path: string; readonly text: string };
  /** Environment variables, for `OSCTL_INPUT_NAME`. */
  readonly env: (name: string) => string | undefined;
  /** Asks at the terminal; absent without one. */
  readonly ask?: (question: InputQuestion) => Promise<string | undefined>;
}

/** A missing required value. */
export interface InputQuestion {
  readonly name: string;
  /** Description; may be empty. */
  readonly summary: string;
  /** Valid values: `a duration such as 90s or 1h30m`. */
  readonly expected: string;
  /** True to hide the typed text. */
  readonly secret: boolean;
}

/** Values of the inputs; those without one are absent. */
export interface ResolvedInputs {
  /** Values without secrets; those of `semver` begin with `v`. */
  readonly values: Readonly<Record<string, Json>>;
  /** Bytes of secrets; for the vault, never for the journal. */
  readonly secrets: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Names of the values that are not defaults, and of secrets. */
  readonly given: ReadonlySet<string>;
}

/** A value and its source; texts are not parsed yet. */
type FoundInput =
  | { readonly from: string; readonly text: string }
  | { readonly from: string; readonly value: Json };

interface InputIssue {
  readonly text: string;
  readonly hint: string;
}

interface Resolving {
  readonly runbook: Runbook;
  readonly sources: InputSources;
  readonly problems: InputIssue[];
  /** See {@linkcode ResolvedInputs}. */
  readonly given: Set<string>;
}

/**
 * Finds the values of a runbook's inputs.
 *
 * @throws {ConfigError} If values are invalid or missing, or names are unknown; lists all problems.
 */
export async function resolveInputs(
  runbook: Runbook,
  sources: InputSources,
): Promise<ResolvedInputs> {
  const given = new Set<string>();
  const resolving = { runbook, sources, problems: [], given };
  const found = collectGiven(resolving);
  const handed = await resolveSecrets(resolving);
  const values: (readonly [string, Json])[] = [];
  const secrets = new Map<string, Uint8Array<ArrayBuffer>>();
  // Sequential, since each may ask.
  for (const [name, input] of Object.entries(runbook.inputs)) {
    if (input.type === "secret") {
      const bytes = await resolveSecret(name, handed, resolving);
      if (bytes !== undefined) {
        // The program has registered what is secret in its own.
        if (bytes !== sources.secretValues?.get(name)) learnSecret(bytes);
        secrets.set(name, bytes);
        given.add(name);
      }
      continue;
    }
    const value = await resolveValue(name, found.get(name), resolving);
    if (value !== undefined) values.push([name, value]);
  }
  refuse(runbook, resolving.problems);
  return { values: Object.fromEntries(values), secrets, given };
}

/**
 * Names of the environment variables of an input.
 *
 * @param name Name of the input: `drainTimeout`.
 * @returns `OSCTL_INPUT_DRAIN_TIMEOUT` and `OSCTL_INPUT_DRAINTIMEOUT`.
 */
function inputVariables(name: string): readonly string[] {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  return [`OSCTL_INPUT_${words}`, `OSCTL_INPUT_${name.toUpperCase()}`];
}

function collectGiven(resolving: Resolving): ReadonlyMap<string, FoundInput> {
  const { sources, problems } = resolving;
  const found = new Map<string, FoundInput>();
  for (const [name, text] of pairs(sources.given, "--input", resolving)) {
    if (found.has(name)) {
      const hint = "Give it once";
      problems.push({ text: `Input "${name}" is given twice`, hint });
    }
    found.set(name, { from: "--input", text });
  }
  for (const [name, candidate] of fileValues(resolving)) {
    if (!found.has(name)) found.set(name, candidate);
  }
  return found;
}

function pairs(
  words: readonly string[],
  flag: string,
  resolving: Resolving,
): readonly (readonly [name: string, text: string])[] {
  return words.flatMap((word) => {
    const at = word.indexOf("=");
    if (at > 0) {
      const name = word.slice(0, at);
      return isKnown(name, flag, resolving)
        ? [[name, word.slice(at + 1)] as const]
        : [];
    }
    // The message omits the word: it may be a secret.
    resolving.problems.push({
      text: `${flag} has no "=" between name and value`,
      hint: `Give ${flag} name=${flag === "--secret" ? "@file" : "value"}`,
    });
    return [];
  });
}

/** Reports whether an input exists; records a problem if not. */
function isKnown(
  name: string,
  from: string,
  { runbook: { inputs }, problems }: Resolving,
): boolean {
  if (!Object.hasOwn(inputs, name)) {
    const text = `${from}: There is no input "${name}"`;
    problems.push({ text, hint: suggest(name, Object.keys(inputs)) });
    return false;
  }
  const isSecret = inputs[name]?.type === "secret";
  if (isSecret === (from === "--secret")) return true;
  problems.push(
    isSecret
      ? {
        text: `${from}: Input "${name}" is a secret`,
        hint: `Give --secret ${name}=@file or --secret ${name}=env:NAME`,
      }
      : {
        text: `${from}: Input "${name}" is not a secret`,
        hint: `Give --input ${name}=value`,
      },
  );
  return false;
}

function fileValues(
  resolving: Resolving,
): readonly (readonly [string, FoundInput])[] {
  const { sources: { file }, problems } = resolving;
  if (file === undefined) return [];
  const { documents } = readDocuments(file.text, file.path, {
    mergeKeys: false,
  });
  const root = documents[0]?.root;
  if (root === undefined) return [];
  if (root.kind !== "map" || documents.length > 1) {
    problems.push({
      text: `${file.path}: It is not a mapping`,
      hint: "Write one line for each input, as name: value",
    });
    return [];
  }
  return root.entries.flatMap(({ key, value }) => {
    const at = placeWithin(root, [key]);
    const from = `${file.path}:${at?.line ?? 1}:${at?.column ?? 1}`;
    return isKnown(key, from, resolving)
      ? [[key, { from, value: coreValue(value) }] as const]
      : [];
  });
}

async function resolveValue(
  name: string,
  found: FoundInput | undefined,
  resolving: Resolving,
): Promise<Json | undefined> {
  const { runbook, problems } = resolving;
  const input = runbook.inputs[name];
  if (input === undefined) return undefined;
  const candidate = found ?? fromEnvironment(name, resolving) ??
    await askInput(name, input, resolving);
  if (candidate === undefined) return fallback(name, input, resolving);
  const value = "text" in candidate
    ? readText(candidate.text, input)
    : candidate.value;
  // Null in a file counts as absent.
  if (value === null) return fallback(name, input, resolving);
  const fault = typeof value === "string" && value.includes("${{")
    ? { message: "Expressions are not allowed here", hint: "Give a value" }
    : inputFault(value, input);
  if (fault === undefined) {
    resolving.given.add(name);
    return normal(value, input);
  }
  const text = `${candidate.from}: Input "${name}": ${fault.message}`;
  problems.push({ text, hint: fault.hint });
  return undefined;
}

function fallback(
  name: string,
  input: RunbookInput,
  { problems }: Resolving,
): Json | undefined {
  if (input.required) {
    const text = `Input "${name}" is missing`;
    const hint = `Give --input ${name}=value, ${formatExpected(input)}`;
    problems.push({ text, hint });
  }
  return input.initial === undefined || input.initial === null
    ? undefined
    : normal(input.initial, input);
}

function fromEnvironment(
  name: string,
  { sources: { env } }: Resolving,
): FoundInput | undefined {
  for (const variable of inputVariables(name)) {
    const text = env(variable);
    if (text !== undefined) return { from: variable, text };
  }
  return undefined;
}

async function askInput(
  name: string,
  input: RunbookInput,
  { sources: { ask } }: Resolving,
): Promise<FoundInput | undefined> {
  // Inputs with a default are not prompted for.
  if (!input.required || ask === undefined) return undefined;
  const text = await ask({
    name,
    summary: input.summary,
    expected: formatExpected(input),
    secret: false,
  });
  return text === undefined || text === ""
    ? undefined
    : { from: "answer", text };
}

/** Parses typed text; invalid text stays a string, and is reported later. */
function readText(text: string, { type }: RunbookInput): Json {
  switch (type) {
    case "int":
      return /^[-+]?\d+$/.test(text) ? Number(text) : text;
    case "bool":
      return text === "true" ? true : text === "false" ? false : text;
    case "countOrPercent":
      return /^\d+$/.test(text) ? Number(text) : text;
    case "nodes":
      return text.split(",").map((name) => name.trim())
        .filter((name) => name !== "");
    default:
      return text;
  }
}

/** Adds the `v` of node versions, so that both can be compared. */
function normal(value: Json, { type }: RunbookInput): Json {
  return type === "semver" && typeof value === "string" &&
      !value.startsWith("v")
    ? `v${value}`
    : value;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function resolveSecrets(
  resolving: Resolving,
): Promise<ReadonlyMap<string, Bytes>> {
  const { sources, problems } = resolving;
  const found = new Map<string, Bytes>(sources.secretValues);
  for (const [name, text] of pairs(sources.secrets, "--secret", resolving)) {
    const bytes = await secretFrom(text, sources.env);
    if (bytes instanceof Uint8Array) found.set(name, bytes);
    else {problems.push({
        ...bytes,
        text: `Input "${name}": ${bytes.text}`,
      });}
  }
  return found;
}

async function secretFrom(
  text: string,
  env: InputSources["env"],
): Promise<Bytes | InputIssue> {
  if (text.startsWith("@")) {
    const path = text.slice(1);
    const bytes = await readBoundedBytes({
      path,
      limitMib: 1,
      expected: "the file of the secret",
    });
    if (bytes !== undefined) return new Uint8Array(bytes);
    return { text: `There is no file "${path}"`, hint: "Give @file" };
  }
  if (text.startsWith("env:")) {
    const name = text.slice("env:".length);
    const value = env(name);
    if (value !== undefined) return new TextEncoder().encode(value);
    return { text: `"${name}" is not set`, hint: "Give env:NAME" };
  }
  // The message omits the typed text, which may be the secret itself.
  return {
    text: "Secrets cannot be given on the command line",
    hint: "Give @file or env:NAME",
  };
}

async function resolveSecret(
  name: string,
  handed: ReadonlyMap<string, Bytes>,
  { runbook, sources, problems }: Resolving,
): Promise<Bytes | undefined> {
  const input = runbook.inputs[name];
  const bytes = handed.get(name);
  const isGiven = bytes !== undefined ||
    sources.secrets.some((word) => word.startsWith(`${name}=`));
  if (isGiven || !input?.required) return bytes;
  const answer = await sources.ask?.({
    name,
    summary: input.summary,
    expected: "a secret",
    secret: true,
  });
  if (answer !== undefined && answer !== "") {
    return new TextEncoder().encode(answer);
  }
  problems.push({
    text: `Input "${name}" is missing`,
    hint: `Give --secret ${name}=@file or --secret ${name}=env:NAME`,
  });
  return undefined;
}

function refuse(
  { name }: Runbook,
  problems: readonly InputIssue[],
): void {
  const [first] = problems;
  if (first === undefined) return;
  const head = `Cannot run "${name}"`;
  if (problems.length === 1) {
    throw new ConfigError(`${head}: ${first.text}`, { hint: first.hint });
  }
  const lines = problems.map(({ text, hint }) => `  ${text} (${hint})`);
  throw new ConfigError(`${head}:\n${lines.join("\n")}`);
}
