import { UsageError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import {
  type AnyInput,
  type Argument,
  type Flag,
  InputProblem,
} from "./inputs.ts";
import { notHere } from "./not_here.ts";
import { nearest } from "../../lib/text/nearest.ts";

/** Declared inputs of any types, keyed by camel-case name. */
export type AnyInputs = Readonly<Record<string, AnyInput<unknown>>>;

/** Reads the file of an `@file` value. */
type FileReader = (path: string) => Promise<string>;

/** A flag and its command-line name. */
export interface NamedFlag {
  /** Key in `inputs`. */
  readonly key: string;
  /** Long name without the dashes. */
  readonly name: string;
  readonly flag: Flag<unknown>;
}

/** Words sorted into flags and arguments, not yet parsed. */
export interface Sorted {
  /** Flags in the order given, with their value. */
  readonly flags: readonly {
    readonly named: NamedFlag;
    readonly value: string;
  }[];
  /** Words that are not flags. */
  readonly words: readonly string[];
  /** Switches by the index of the word behind them. */
  readonly switches?: ReadonlyMap<number, NamedFlag>;
}

/**
 * Lists the flags among inputs.
 *
 * @param inputs Declarations; later ones win over earlier ones of the same name or letter.
 */
export function listFlags(...inputs: readonly AnyInputs[]): NamedFlag[] {
  return inputs.flatMap((declared) =>
    Object.entries(declared).flatMap(([key, input]) =>
      input.role === "flag" ? [{ key, name: kebab(key), flag: input }] : []
    )
  );
}

/**
 * Sorts words into flags and arguments.
 *
 * @param argv Words after the command's name, or all words.
 * @param known Accepted flags; later ones win.
 * @param stopAtWord True to stop at the first word that is not a flag.
 * @returns Flags and arguments and, with `stopAtWord`, the number of words read.
 * @throws {UsageError} For an unknown flag or a missing value.
 */
export function sortWords(
  argv: readonly string[],
  known: readonly NamedFlag[],
  stopAtWord = false,
): Sorted & {
  /** Number of words of `argv` read. */
  readonly read: number;
} {
  const flags: { named: NamedFlag; value: string }[] = [];
  const words: string[] = [];
  const switches = new Map<number, NamedFlag>();
  let i = 0;
  for (; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (word === "--") {
      words.push(...argv.slice(i + 1));
      i = argv.length;
    } else if (word.startsWith("--")) {
      i += takeLong(word, argv[i + 1], known, flags);
    } else if (isFlag(word) || isShort(word, known)) {
      i += takeShort(word, argv[i + 1], known, flags);
    } else if (stopAtWord) {
      break;
    } else {
      const before = flags.at(-1)?.named;
      if (isFlag(argv[i - 1] ?? "") && before?.flag.bare !== undefined) {
        switches.set(words.length, before);
      }
      words.push(word);
    }
  }
  return { flags, words, switches, read: Math.min(i, argv.length) };
}

/** True if a word that looks like a negative number is a flag of this command: `-4`. */
function isShort(word: string, known: readonly NamedFlag[]): boolean {
  return known.some(({ flag }) =>
    flag.short !== undefined && word.startsWith(`-${flag.short}`)
  );
}

/**
 * Sorts the values of a runbook step.
 *
 * @param given Values of `with`; unknown keys are ignored.
 * @throws {UsageError} For a standard stream, which a step does not have.
 */
export function sortJson(
  inputs: AnyInputs,
  given: Readonly<Record<string, Json>>,
): Sorted {
  const flags: Sorted["flags"][number][] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const value = given[key];
    if (value === undefined) continue;
    const all = (Array.isArray(value) ? value : [value]).map(jsonText);
    if (input.dash && all.includes("-")) {
      throw new UsageError(
        `Value "-" of ${key} means standard input or output, which a step does not have`,
        { hint: "Name a file" },
      );
    }
    if (input.role === "argument") {
      words.push(...all);
      continue;
    }
    const named = { key, name: kebab(key), flag: input };
    flags.push(...all.map((text) => ({ named, value: text })));
  }
  return { flags, words };
}

function jsonText(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Reports whether a word is a flag; a lone dash and a negative number are not. */
export function isFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1 && !/^-\d/.test(word);
}

/**
 * Parses the value of every declared input.
 *
 * @param sorted Words from {@linkcode sortWords}; flags of other declarations are ignored.
 * @param readFile Reads `@file` values.
 * @throws {UsageError} Naming the invalid flag or argument and the expected form.
 */
export async function parseValues(
  inputs: AnyInputs,
  sorted: Sorted,
  readFile: FileReader,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const [key, input] of Object.entries(inputs)) {
    if (input.role === "flag") values[key] = input.initial;
  }
  for (const { named, value } of sorted.flags) {
    const { key, flag } = named;
    if (inputs[key] !== flag) continue;
    const text = flag.atFile && value.startsWith("@")
      ? await readFile(value.slice(1))
      : value;
    const before = given.has(key) ? values[key] : undefined;
    values[key] = attempt(
      () => {
        refuseDash(flag, [value]);
        return flag.parse(text, before);
      },
      flag.secret
        ? `Invalid value for ${display(named)}`
        : `Invalid value "${value}" for ${display(named)}`,
      value,
      flag.choices,
    );
    given.add(key);
  }
  refuseMissing(inputs, given);
  return { ...values, ...collectArguments(inputs, sorted) };
}

/** A flag as shown in usage: `-n, --nodes`. */
export function display({ name, flag }: NamedFlag): string {
  return flag.short ? `-${flag.short}, --${name}` : `--${name}`;
}

/** The command-line name of an input. */
export function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function takeLong(
  word: string,
  next: string | undefined,
  known: readonly NamedFlag[],
  into: { named: NamedFlag; value: string }[],
): number {
  const at = word.indexOf("=");
  const name = word.slice(2, at < 0 ? undefined : at);
  const named = known.findLast((one) =>
    one.name === name || one.flag.aliases?.includes(name)
  );
  if (named === undefined) throw unknownFlag(`--${name}`, known);
  return take(named, at < 0 ? undefined : word.slice(at + 1), next, into);
}

function takeShort(
  word: string,
  next: string | undefined,
  known: readonly NamedFlag[],
  into: { named: NamedFlag; value: string }[],
): number {
  for (let i = 1; i < word.length; i++) {
    const letter = word[i] ?? "";
    const named = known.findLast((one) => one.flag.short === letter);
    if (named === undefined) {
      throw unknownFlag(
        word.length > 2 ? `-${letter} in ${word}` : `-${letter}`,
        word.length > 2 ? known : [],
        word,
      );
    }
    const tail = word.slice(i + 1);
    if (tail.startsWith("=")) return take(named, tail.slice(1), next, into);
    if (named.flag.bare === undefined) {
      return take(named, tail === "" ? undefined : tail, next, into);
    }
    take(named, undefined, next, into);
  }
  return 0;
}

/** Records one flag; returns the number of further words consumed. */
function take(
  named: NamedFlag,
  own: string | undefined,
  next: string | undefined,
  into: { named: NamedFlag; value: string }[],
): number {
  const value = own ?? named.flag.bare ?? next;
  if (value === undefined) {
    throw new UsageError(`Flag ${display(named)} needs a value`);
  }
  into.push({ named, value });
  return own === undefined && named.flag.bare === undefined ? 1 : 0;
}

function refuseMissing(inputs: AnyInputs, given: ReadonlySet<string>): void {
  const [first, ...more] = listFlags(inputs).filter(({ key, flag }) =>
    flag.required && !given.has(key)
  );
  if (first === undefined) return;
  const names = [first, ...more].map(({ name }) => `--${name}`).join(", ");
  throw new UsageError(
    more.length === 0
      ? `Flag ${names} is missing: ${first.flag.summary}`
      : `Flags ${names} are missing`,
  );
}

function unknownFlag(
  shown: string,
  known: readonly NamedFlag[],
  typed = shown,
): UsageError {
  const reason = notHere.get(shown);
  if (reason !== undefined) {
    return new UsageError(`Cannot use ${shown}: ${reason}`);
  }
  const names = known.filter(({ flag }) => !flag.hidden).map(({ name }) =>
    name
  );
  const word = typed.replace(/^-+/, "");
  const near = nearest(word, names);
  // Flags of the command are behind those of all commands.
  const meant = near === undefined && word.length > 2
    ? names.filter((name) => name.endsWith(`-${word}`)).reverse()
    : [near ?? []].flat();
  return new UsageError(
    `Unknown flag ${shown}`,
    meant.length === 0
      ? {}
      : { hint: `Did you mean --${meant.join(" or --")}?` },
  );
}

/** Number of values that a hint lists. */
const mostChoices = 12;

function collectArguments(
  inputs: AnyInputs,
  { words, switches }: Sorted,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  let at = 0;
  for (const [key, input] of Object.entries(inputs)) {
    if (input.role !== "argument") continue;
    const taken = words.slice(at, at + input.most);
    at += taken.length;
    if (taken.length < input.least) {
      const { choices = [] } = input;
      throw new UsageError(
        `Argument <${kebab(key)}> is missing: ${input.summary}`,
        choices.length > 0 && choices.length <= mostChoices
          ? { hint: `Choose one of: ${choices.join(", ")}` }
          : { hint: input.whenMissing },
      );
    }
    values[key] = attempt(
      () => {
        refuseDash(input, taken);
        return input.parse(taken);
      },
      `Invalid value "${taken.join(" ")}" for argument <${kebab(key)}>`,
      taken[0] ?? "",
      input.choices,
    );
  }
  if (at < words.length) {
    const word = words[at] ?? "";
    const before = switches?.get(at);
    throw new UsageError(`Unexpected argument "${word}"`, {
      hint: before !== undefined
        ? before.flag.type !== "" || /^(?:true|false)$/.test(word)
          ? `Type: --${before.name}=${word}`
          : `Flag ${display(before)} is a switch: it takes no value`
        : at === 0
        ? "This command takes no arguments"
        : `This command takes at most ${at} ${
          at === 1 ? "argument" : "arguments"
        }`,
    });
  }
  return values;
}

const pathKinds: ReadonlySet<string | undefined> = new Set([
  "files",
  "directories",
  "yaml",
]);

/** No file is named `-`. */
function refuseDash(
  { complete, dash }: AnyInput<unknown>,
  values: readonly string[],
): void {
  if (dash || !pathKinds.has(complete) || !values.includes("-")) return;
  throw new InputProblem(
    "must be a path; standard input and output cannot be used here",
  );
}

function attempt<T>(
  parse: () => T,
  what: string,
  value: string,
  choices: Argument<unknown>["choices"],
): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    const near = choices && nearest(value, choices);
    throw new UsageError(
      `${what}: ${error.message}`,
      near === undefined ? {} : { hint: `Did you mean ${near}?` },
    );
  }
}
