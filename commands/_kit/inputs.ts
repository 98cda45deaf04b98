/** What a command can be given: flags and arguments, declared once, as typed values. */

import { parseDuration } from "../../lib/duration.ts";

/** Where the words come from that a shell offers when completing a value. */
export type Completer =
  | "contexts"
  | "nodes"
  | "resources"
  | "ids"
  | "services"
  | "logs"
  | "paths"
  | "runs"
  | "runbooks"
  | "names"
  | "topics"
  | "commands"
  | "yaml"
  | "files"
  | "directories";

/** Raised by an input's `parse`; the parser adds which flag or argument it was. */
export class InputProblem extends Error {}

/** What flags and arguments have in common. */
export interface InputText {
  /** One line for the help page, lower case first, no period. */
  readonly summary: string;
  /** Fixed words that are right; others are refused and the nearest suggested. */
  readonly choices?: readonly string[];
  /** Where completion finds words. */
  readonly complete?: Completer;
  /** True for a path that may be `-`: standard input or output. */
  readonly dash?: boolean;
  /** Left out of help and completion. */
  readonly hidden?: boolean;
  /** What it is in a step of a runbook, where it is not an input of it: `timeout`, or false for what a run has of its own. */
  readonly step?: false | "timeout";
}

/** A named value: `--name value`. The key in `inputs`, in kebab case, is its name. */
export interface Flag<T> extends InputText {
  readonly role: "flag";
  /** Word for the value in help; empty for flags that take none. */
  readonly type: string;
  readonly short?: string;
  /** Other names that are accepted and not shown. */
  readonly aliases?: readonly string[];
  /** What to use instead; a warning is printed when the flag is given. */
  readonly deprecated?: string;
  /** Value when the flag is not given. */
  readonly initial: T;
  /** Default as help shows it; empty to show none. */
  readonly shown: string;
  /** Text assumed when the flag is without a value. */
  readonly bare?: string;
  /** True when a value that starts with `@` names a file to read the value from. */
  readonly atFile?: boolean;
  /** True when a command line without it is refused. */
  readonly required?: boolean;
  /** True when no message repeats its value. */
  readonly secret?: boolean;
  /**
   * Turns one occurrence into a value.
   *
   * @param before Value of the occurrences before it, `undefined` for the first.
   * @throws {InputProblem} With what would be right.
   */
  parse(text: string, before: T | undefined): T;
}

/** A value known by its place. */
export interface Argument<T> extends InputText {
  readonly role: "argument";
  /** Smallest number of words it takes. */
  readonly least: number;
  /** Largest number of words it takes. */
  readonly most: number;
  /** Turns the words at this place into a value. Throws `InputProblem` with what would be right. */
  parse(words: readonly string[]): T;
}

/** One declared input. */
export type AnyInput<T> = Flag<T> | Argument<T>;

/** Declarations of all inputs of a command, keyed by camel-case name. */
export type InputTable<Values> = {
  readonly [Name in keyof Values]: AnyInput<Values[Name]>;
};

/** Values of declared inputs. */
export type Values<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends AnyInput<infer T>
    ? T
    : never;
};

type FlagOptions = Partial<
  Pick<
    Flag<unknown>,
    | "short"
    | "aliases"
    | "deprecated"
    | "hidden"
    | "complete"
    | "dash"
    | "shown"
    | "atFile"
    | "step"
  >
>;

/** Flag options with a value for when the flag is not given. */
type InitialOptions<T> = FlagOptions & Pick<Flag<T>, "initial">;

/** A flag that is on or off: `--wait`, `--wait=false`. `options`: default `initial`: false. */
export function toggle(
  summary: string,
  options: FlagOptions & Partial<InitialOptions<boolean>> = {},
): Flag<boolean> {
  const initial = options.initial ?? false;
  return flag("", summary, {
    shown: initial ? "true" : "",
    ...options,
    initial,
  }, {
    bare: "true",
    parse: parseBoolean,
  });
}

/** `--yes` of commands that ask before they act. */
export const yesFlag: Flag<boolean> = toggle("do not ask for confirmation", {
  short: "y",
  step: false,
});

/** A flag with a text value. */
export function text(
  summary: string,
  options: InitialOptions<string>,
): Flag<string>;
/** A flag with a text value that may be omitted. */
export function text(
  summary: string,
  options?: FlagOptions,
): Flag<string | undefined>;
/** Implementation of both forms. */
export function text(
  summary: string,
  options: FlagOptions & Partial<InitialOptions<string>> = {},
): Flag<string> | Flag<string | undefined> {
  const shown = options.initial ?? "";
  return flag<string | undefined>("string", summary, {
    shown,
    ...options,
    initial: options.initial,
  }, { parse: (value) => value });
}

/**
 * A flag with a whole number; `0x`, `0o` and `0b` prefixes are understood.
 *
 * @param options Default and bounds, both inclusive; bounds default to those of an int32.
 */
export function integer(
  summary: string,
  options: InitialOptions<number> & {
    readonly least?: number;
    readonly most?: number;
  },
): Flag<number> {
  const { least = -(2 ** 31), most = 2 ** 31 - 1 } = options;
  return flag("int", summary, { shown: String(options.initial), ...options }, {
    parse(value) {
      const number = /^[+-]?(\d+|0[xob][\da-f]+)$/i.test(value)
        ? Number(value)
        : NaN;
      if (number >= least && number <= most) return number;
      throw new InputProblem(`must be a whole number from ${least} to ${most}`);
    },
  });
}

/**
 * A flag with one out of several words.
 *
 * @param choices Words that are right, in the order help shows them.
 * @param options Default.
 */
export function choice<const T extends string>(
  summary: string,
  choices: readonly T[],
  options: InitialOptions<T>,
): Flag<T> {
  return flag("string", summary, { shown: options.initial, ...options }, {
    choices,
    parse(value) {
      const found = choices.find((known) => known === value);
      if (found !== undefined) return found;
      throw new InputProblem(`must be one of ${choices.join(", ")}`);
    },
  });
}

/** A flag with a duration such as `1m0s`; the value is in milliseconds. `options`: default, as text. */
export function duration(
  summary: string,
  options: InitialOptions<string>,
): Flag<number> {
  return flag("duration", summary, {
    shown: options.initial,
    ...options,
    initial: milliseconds(options.initial),
  }, { parse: milliseconds });
}

/** A repeatable flag whose values may be separated by commas. `options`: default, empty when not given. */
export function strings(
  summary: string,
  options: FlagOptions & Partial<InitialOptions<readonly string[]>> = {},
): Flag<readonly string[]> {
  const initial = options.initial ?? [];
  return flag("strings", summary, {
    shown: initial.join(","),
    ...options,
    initial,
  }, {
    parse(value, before = []) {
      const parts = value.split(",").map((part) => part.trim());
      return [...before, ...parts.filter((part) => part !== "")];
    },
  });
}

/**
 * A repeatable flag whose values are taken whole, commas included.
 *
 * @param options With `atFile`, `@name` stands for the content of that file.
 */
export function stringArray(
  summary: string,
  options: FlagOptions = {},
): Flag<readonly string[]> {
  const initial: readonly string[] = [];
  return flag("stringArray", summary, { shown: "", ...options, initial }, {
    parse: (value, before) => [...before ?? [], value],
  });
}

/** A flag that counts how often it is: `-vvv` is 3. `options`: default 0. */
export function count(
  summary: string,
  options: FlagOptions = {},
): Flag<number> {
  return flag("count", summary, { shown: "", ...options, initial: 0 }, {
    bare: "+1",
    parse(value, before = 0) {
      if (value === "+1") return before + 1;
      if (/^\d+$/.test(value)) return Number(value);
      throw new InputProblem("must be a whole number");
    },
  });
}

type ArgumentOptions = Pick<InputText, "choices" | "complete" | "dash">;

/** An argument that must be given. */
export function word(
  summary: string,
  options: ArgumentOptions = {},
): Argument<string> {
  return {
    role: "argument",
    summary,
    least: 1,
    most: 1,
    parse: ([value = ""]) => chosen(value, options),
    ...options,
  };
}

/** An argument that may be omitted. */
export function optionalWord(
  summary: string,
  options: ArgumentOptions = {},
): Argument<string | undefined> {
  return {
    role: "argument",
    summary,
    least: 0,
    most: 1,
    parse: ([value]) => value === undefined ? value : chosen(value, options),
    ...options,
  };
}

/** All further arguments. `options`: `least` is the smallest number of words, default 0. */
export function rest(
  summary: string,
  options: ArgumentOptions & Partial<Pick<Argument<unknown>, "least">> = {},
): Argument<readonly string[]> {
  const { least = 0, ...others } = options;
  return {
    role: "argument",
    summary,
    least,
    most: Infinity,
    parse: (words) => words.map((value) => chosen(value, options)),
    ...others,
  };
}

function chosen(value: string, { choices }: ArgumentOptions): string {
  if (choices === undefined || choices.includes(value)) return value;
  throw new InputProblem(`must be one of ${choices.join(", ")}`);
}

function flag<T>(
  type: string,
  summary: string,
  options: InitialOptions<T> & { readonly shown: string },
  rest: Pick<Flag<T>, "parse"> & Partial<Flag<T>>,
): Flag<T> {
  return { role: "flag", type, summary, ...options, ...rest };
}

function parseBoolean(value: string): boolean {
  if (/^(true|t|1)$/i.test(value)) return true;
  if (/^(false|f|0)$/i.test(value)) return false;
  throw new InputProblem("must be true or false");
}

function milliseconds(value: string): number {
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  throw new InputProblem("must be a duration such as 30s, 1m30s or 500ms");
}

/**
 * A flag with a text value that must be given and must not be empty.
 *
 * @param summary One line for help; shown when the flag is missing.
 */
export function requiredText(
  summary: string,
  options: FlagOptions = {},
): Flag<string> {
  return {
    ...text(summary, { ...options, initial: "" }),
    required: true,
    parse: notEmpty,
  };
}

/** Reads a text that says something. Throws `InputProblem` if it is empty. */
export function notEmpty(value: string): string {
  if (value !== "") return value;
  throw new InputProblem("must not be empty");
}

/**
 * A flag that takes one of a few words and must be given.
 *
 * @param summary One line for help; shown when the flag is missing.
 * @param choices Words, the most usual first.
 */
export function requiredChoice<const T extends string>(
  summary: string,
  choices: readonly [T, ...T[]],
  options: FlagOptions = {},
): Flag<T> {
  const [initial] = choices;
  const flag = choice(summary, choices, { ...options, initial, shown: "" });
  return { ...flag, required: true };
}
