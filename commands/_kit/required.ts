/** Flags that must be given. */

import {
  choice,
  type Flag,
  type FlagOptions,
  InputProblem,
  text,
} from "./inputs.ts";

/**
 * A flag with a text value that must be given and must not be empty.
 *
 * @param summary One line for help; told when the flag is missing.
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

/**
 * Reads a text that says something.
 *
 * @throws {InputProblem} If it is empty.
 */
export function notEmpty(value: string): string {
  if (value !== "") return value;
  throw new InputProblem("must not be empty");
}

/**
 * A flag that takes one of a few words and must be given.
 *
 * @param summary One line for help; told when the flag is missing.
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
