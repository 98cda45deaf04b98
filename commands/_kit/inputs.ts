/** Inputs of commands: flags and arguments, declared once, with typed values. */

import { parseDuration } from "../../lib/duration.ts";

/** Sources of completion candidates for a value. */
export type Completer =
  | "contexts"
  | "nodes"
  | "resources"
  | "ids"
  | "services"
  | "logs"
  | "containers"
  | "paths"
  | "runs"
  | "runbooks"
  | "names"
  | "topics"
  | "commands"
  | "yaml"
  | "files"
  | "directories";

/** Thrown by `parse` of an input; the parser adds the flag or argument. */
export class InputProblem extends Error {}

/** Common fields of flags and arguments. */
export interface InputText {
  /** One line for the help page, lower case first, no period. */
  readonly summary: string;
  /** Valid values; others are refused, with the nearest as a suggestion. */
  readonly choices?: readonly string[];
  /** Source of completion candidates. */
  readonly complete?: Completer;
  /** True for a path that may be `-`: standard input or output. */
  readonly dash?: boolean;
  /** Hidden from help and completion. */
  readonly hidden?: boolean;
  /** Role in a runbook step, if it is not an input: `timeout`, or false if the run provides it. */
  readonly step?: false | "timeout";
}

/** A named value: `--name value`. Its name is its key in `inputs`, in kebab case. */
export interface Flag<T> extends InputText {
  readonly role: "flag";
  /** Value placeholder in help; empty for flags without a value. */
  readonly type: string;
  readonly short?: string;
  /** Other accepted names, not shown. */
  readonly aliases?: readonly string[];
  /** Replacement; using the flag prints a warning. */
  readonly deprecated?: string;
  /** Default value. */
  readonly initial: T;
  /** Default shown in help; empty to show none. */
  readonly shown: string;
  /** Value of the flag without `=value`. */
  readonly bare?: string;
  /** True if `@name` reads the value from a file. */
  readonly atFile?: boolean;
  /** True if it is required. */
  readonly required?: boolean;
  /** True to keep its value out of messages. */
  readonly secret?: boolean;
  /**
   * Turns one occurrence into a value.
   *
   * @param before Value of the occurrences before it, `undefined` for the first.
   * @throws {InputProblem} With the expected form.
   */
  parse(text: string, before: T | undefined): T;
}

/** A positional value. */
export interface Argument<T> extends InputText {
  readonly role: "argument";
  /** Hint for a missing argument. */
  readonly whenMissing?: string;
  /** Minimum number of words. */
  readonly least: number;
  /** Maximum number of words. */
  readonly most: number;
  /** Parses its words. Throws `InputProblem` with the expected form. */
  parse(words: readonly string[]): T;
}

/** A declared input. */
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

/** Options of a flag with a default. */
type InitialOptions<T> = FlagOptions & Pick<Flag<T>, "initial">;

/** A boolean flag: `--wait`, `--wait=false`. `options`: default `initial`: false. */
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

/** `--yes` of commands that ask for confirmation. */
export const yesFlag: Flag<boolean> = toggle("do not ask for confirmation", {
  short: "y",
  step: false,
});

/** A text flag. */
export function text(
  summary: string,
  options: InitialOptions<string>,
): Flag<string>;
/** An optional text flag. */
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
 * An integer flag; accepts `0x`, `0o` and `0b` prefixes.
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
      // The limits of 32 bits say nothing about a word.
      const limits = Number.isNaN(number) && options.least === undefined &&
          options.most === undefined
        ? ""
        : ` from ${least} to ${most}`;
      throw new InputProblem(`must be a whole number${limits}`);
    },
  });
}

/**
 * A flag with a fixed set of values.
 *
 * @param choices Valid values, in help order.
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

/** A duration flag, such as `1m0s`; the value is in milliseconds. `options`: default, as text. */
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

/** A repeatable flag that accepts comma-separated values. `options`: default, empty if not given. */
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
 * A repeatable flag whose values may contain commas.
 *
 * @param options With `atFile`, `@name` reads the value from a file.
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

/** A flag that counts its occurrences: `-vvv` is 3. `options`: default 0. */
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

type ArgumentOptions = Pick<
  Argument<unknown>,
  "choices" | "complete" | "dash" | "whenMissing"
>;

/** A required argument. */
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

/** An optional argument. */
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

/** All remaining arguments. `options`: `least` is the minimum number of words, default 0. */
export function restArgument(
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
 * A required, non-empty text flag.
 *
 * @param summary One line for help; shown if the flag is missing.
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

/** Requires a non-empty text. Throws `InputProblem` if it is empty. */
export function notEmpty(value: string): string {
  if (value !== "") return value;
  throw new InputProblem("must not be empty");
}

/**
 * A required flag with a fixed set of values.
 *
 * @param summary One line for help; shown if the flag is missing.
 * @param choices Values, the most common first.
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
