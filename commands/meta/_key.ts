import { type Argument, InputProblem, word } from "../_kit/mod.ts";

/** The argument `<key>`. */
export const keyArgument: Argument<number> = {
  ...word("key, 0 to 255; 0x, 0o and 0b prefixes are accepted"),
  parse: ([text = ""]) => parseKey(text),
};

/** Number base prefixes; a leading zero alone is octal, too. */
const bases = [
  [/^0x[\da-f]+$/i, 2, 16],
  [/^0o[0-7]+$/i, 2, 8],
  [/^0b[01]+$/i, 2, 2],
  [/^0[0-7]+$/, 1, 8],
  [/^(0|[1-9]\d*)$/, 0, 10],
] as const;

/**
 * Parses a key.
 *
 * @param text As typed: `10`, `0x0a`, `0o12`, `012`, `0b1010`.
 * @throws {InputProblem} If it is not a number, or too large for a byte.
 */
function parseKey(text: string): number {
  const base = bases.find(([form]) => form.test(text));
  const [, skipped, radix] = base ?? [undefined, 0, 10];
  const key = base === undefined ? NaN : parseInt(text.slice(skipped), radix);
  if (key <= 255) return key;
  throw new InputProblem("must be a number from 0 to 255");
}
