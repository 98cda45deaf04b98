/** Shell completion of a command line. */

import { findEntry } from "./find.ts";
import { globals } from "./globals.ts";
import type { Completer } from "./inputs.ts";
import { allInputs, loadNamed, type Program } from "./main.ts";
import {
  type AnyInputs,
  kebab,
  listFlags,
  type NamedFlag,
  type Sorted,
  sortWords,
} from "./parse.ts";

/** A completion candidate. */
export interface Candidate {
  /** The whole word, including the part already typed. */
  readonly word: string;
  /** Description; omitted by shells that show none. */
  readonly about?: string;
}

/** A request for candidates from nodes and files. */
export interface Question {
  readonly kind: Completer;
  readonly partial: string;
  /** Words of the command before it, without flags and the command name. */
  readonly words: readonly string[];
  /** Everything typed before it. */
  readonly sorted: Sorted;
}

/** Finds candidates in the environment; never throws. */
type WordSource = (
  program: Program,
  question: Question,
) => Promise<readonly Candidate[]>;

/**
 * Completes a command line.
 *
 * @param argv Words after the program's name; the last one is being typed.
 * @returns Lines of word, tab, description; a first line `:files` or `:directories` delegates to the shell, `:nospace`
 * keeps the cursor at the word.
 */
export async function complete(
  program: Program,
  argv: readonly string[],
): Promise<string> {
  // Loaded on demand: most completions are of names, which need no nodes or
  // files.
  const source: WordSource = async (...question) =>
    await (await import("./completion_source.ts")).candidates(...question);
  const found = await candidatesFor(program, argv, source);
  if (typeof found === "string") return `:${found}\n`;
  const open = found.length > 0 &&
    found.every(({ word }) => /[/=]$/.test(word));
  const lines = found.map(({ word, about }) =>
    `${word}${about ? `\t${about}` : ""}\n`
  );
  return `${open ? ":nospace\n" : ""}${lines.join("")}`;
}

/** Finds matching candidates. `argv`: words; the last one is being typed. */
export async function candidatesFor(
  program: Program,
  argv: readonly string[],
  source: WordSource,
): Promise<readonly Candidate[] | "files" | "directories"> {
  const partial = argv.at(-1) ?? "";
  const before = argv.slice(0, -1);
  const leading = tolerant(before, listFlags(globals), true);
  const words = before.slice(leading.read);
  const name = longestName(program, words);
  const file = name === undefined
    ? undefined
    : await loadNamed(program.entries, name);
  const inputs = file === undefined ? {} : allInputs(file.command, file);
  const known = listFlags(globals, inputs);
  const rest = words.slice(name?.split(" ").length ?? 0);
  const tail = name === undefined ? before : rest;

  const awaited = awaitedFlag(tail, known);
  if (awaited !== undefined) {
    return await valuesFor(awaited, partial, "");
  }
  const equals = /^(--[^=]+=)(.*)$/s.exec(partial);
  if (equals !== null) {
    const [, head = "", value = ""] = equals;
    const flag = known.find((one) => `--${one.name}=` === head);
    return flag === undefined ? [] : await valuesFor(flag, value, head);
  }
  if (partial.startsWith("-") && !tail.includes("--")) {
    return fitting(flagCandidates(known), partial);
  }
  const sorted = tolerant(rest, known);
  const below = sorted.words.length === 0 ? commandsBelow(program, name) : [];
  const argument = argumentAt(inputs, sorted.words.length);
  const offered = argument?.complete === undefined
    ? toCandidates(argument?.choices)
    : await ask(argument.complete, partial, sorted);
  if (typeof offered === "string") {
    return below.length > 0 ? fitting(below, partial) : offered;
  }
  return fitting([...below, ...offered], partial);

  async function valuesFor(
    { flag }: NamedFlag,
    value: string,
    head: string,
  ): Promise<readonly Candidate[] | "files" | "directories"> {
    const comma = flag.type === "strings" ? value.lastIndexOf(",") + 1 : 0;
    const last = value.slice(comma);
    const kept = head + value.slice(0, comma);
    const offered = flag.complete === undefined
      ? toCandidates(
        flag.choices ?? (flag.bare === "true" ? ["true", "false"] : []),
      )
      : await ask(flag.complete, last, tolerant(rest, known));
    if (typeof offered === "string") return offered;
    return fitting(offered, last).map((one) => ({
      ...one,
      word: kept + one.word,
    }));
  }

  async function ask(
    kind: Completer,
    value: string,
    { flags, words }: Sorted,
  ): Promise<readonly Candidate[] | "files" | "directories"> {
    if (kind === "files" || kind === "directories") return kind;
    const all = { flags: [...leading.flags, ...flags], words };
    return await source(program, { kind, partial: value, words, sorted: all });
  }
}

function longestName(
  { entries }: Program,
  words: readonly string[],
): string | undefined {
  for (let taken = Math.min(3, words.length); taken > 0; taken--) {
    const name = words.slice(0, taken).join(" ");
    if (findEntry(entries, name) !== undefined) return name;
  }
  return undefined;
}

function commandsBelow(
  { entries }: Program,
  name: string | undefined,
): Candidate[] {
  const parent = name === undefined
    ? undefined
    : findEntry(entries, name)?.name;
  const prefix = parent === undefined ? "" : `${parent} `;
  return entries.filter((entry) =>
    !entry.hidden && entry.name.startsWith(prefix) &&
    !entry.name.slice(prefix.length).includes(" ")
  ).map((entry) => ({
    word: entry.name.slice(prefix.length),
    about: entry.summary,
  }));
}

/** The flag whose value is being typed: the previous word is a flag without its value. */
function awaitedFlag(
  before: readonly string[],
  known: readonly NamedFlag[],
): NamedFlag | undefined {
  const last = before.at(-1) ?? "";
  if (before.includes("--") || !last.startsWith("-") || last.includes("=")) {
    return undefined;
  }
  const letter = last.startsWith("--") ? undefined : last.at(-1);
  const flag = known.findLast((one) =>
    letter === undefined ? `--${one.name}` === last : one.flag.short === letter
  );
  return flag?.flag.bare === undefined ? flag : undefined;
}

/** Parses the words typed so far; an incomplete line may be invalid. */
function tolerant(
  words: readonly string[],
  known: readonly NamedFlag[],
  stopAtWord = false,
): ReturnType<typeof sortWords> {
  // The last flag may still lack its value.
  for (const complete of [words, words.slice(0, -1)]) {
    try {
      return sortWords(complete, known, stopAtWord);
    } catch {
      continue;
    }
  }
  const plain = words.filter((word) => !word.startsWith("-"));
  return { flags: [], words: plain, read: 0 };
}

function argumentAt(inputs: AnyInputs, place: number) {
  let least = 0;
  for (const input of Object.values(inputs)) {
    if (input.role !== "argument") continue;
    least += input.most;
    if (place < least) return input;
  }
  return undefined;
}

function flagCandidates(known: readonly NamedFlag[]): Candidate[] {
  return known.filter(({ flag }) => !flag.hidden).map(({ key, flag }) => ({
    word: `--${kebab(key)}`,
    about: flag.summary,
  }));
}

function toCandidates(words: readonly string[] | undefined): Candidate[] {
  return (words ?? []).map((word) => ({ word }));
}

function fitting(
  offered: readonly Candidate[],
  partial: string,
): readonly Candidate[] {
  return offered.filter(({ word }) => word.startsWith(partial));
}
