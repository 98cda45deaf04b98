/** Whole numbers of any size in JSON output. */

/**
 * Replacer for `JSON.stringify`: whole numbers beyond 2^53 become strings, so that they are not rounded.
 *
 * @param value Any value; a `bigint` becomes a number if that is exact.
 */
export function writeExactly(_key: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
    ? Number(value)
    : String(value);
}
