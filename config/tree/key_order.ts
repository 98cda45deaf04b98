/** The order in which keys of the user's choice are written. */

const letter = /^\p{L}/u;
const digit = /^\p{Nd}/u;

/**
 * Compares two keys the way nodes order them: letters after everything else,
 * numbers by value (`a2` before `a10`).
 *
 * Source: the order in which a node's own configuration comes back.
 *
 * @returns Negative when `a` comes first.
 */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((rune, index) => rune !== right[index]);
  const [l, r] = [left[at], right[at]];
  if (at < 0 || r === undefined || l === undefined) {
    return left.length - right.length;
  }
  const letters = [letter.test(l), letter.test(r)];
  if (letters[0] && letters[1]) return order(l, r);
  if (letters[0] || letters[1]) {
    // Behind a digit the letter ends the shorter number, which comes first.
    const letterFirst = digit.test(left[at - 1] ?? "");
    return letters[0] === letterFirst ? -1 : 1;
  }
  // Zeros count only inside a number, not at its beginning.
  const seed = (l === "0" || r === "0") && isInsideNumber(left, at) ? 1 : 0;
  const [x, y] = [numberAt(left, at, seed), numberAt(right, at, seed)];
  return x.value - y.value || x.end - y.end || order(l, r);
}

function isInsideNumber(runes: readonly string[], at: number): boolean {
  const before = runes.slice(0, at).join("").match(/\p{Nd}*$/u)?.[0] ?? "";
  return /[^0]/.test(before);
}

function numberAt(runes: readonly string[], at: number, seed: number) {
  let value = seed;
  let end = at;
  for (; digit.test(runes[end] ?? ""); end++) {
    value = value * 10 + (runes[end] ?? "").charCodeAt(0) - 48;
  }
  return { value, end };
}

function order(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}
