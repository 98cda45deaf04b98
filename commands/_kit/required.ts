/** Flags that must be given. */

import { type Flag, type FlagOptions, InputProblem, text } from "./inputs.ts";

/**
 * A flag with a text value that must be given and must not be empty.
 *
 * @param summary One line for help; told when the flag is missing.
 * @param options Letter, aliases, completion.
 */
export function requiredText(
  summary: string,
  options: FlagOptions = {},
): Flag<string> {
  return {
    ...text(summary, { ...options, initial: "" }),
    required: true,
    parse(value) {
      if (value !== "") return value;
      throw new InputProblem("must not be empty");
    },
  };
}
