/** What plain scalars mean where no schema says it. */

/** A scalar as it is written. */
export interface Resolved {
  /** Canonical text. */
  readonly text: string;
  /** False when it is a text. */
  readonly plain: boolean;
}

const words = new Map([
  ...["true", "True", "TRUE"].map((word) => [word, "true"] as const),
  ...["false", "False", "FALSE"].map((word) => [word, "false"] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, "null"] as const),
]);
const numbers = [
  { form: /^0x([0-9a-f]+)$/i, base: 16 },
  { form: /^0o([0-7]+)$/i, base: 8 },
  { form: /^0b([01]+)$/i, base: 2 },
  { form: /^0([0-7]+)$/, base: 8 },
  { form: /^([0-9]+)$/, base: 10 },
] as const;
const largest = 2n ** 64n;

/**
 * Resolves a plain scalar the way nodes do: the words and numbers of YAML 1.2,
 * octal numbers of YAML 1.1, everything else a text.
 *
 * @param text A plain scalar.
 */
export function resolvePlain(text: string): Resolved {
  const word = words.get(text);
  if (word !== undefined) return { text: word, plain: true };
  const whole = wholeNumber(text);
  if (whole !== undefined) return { text: String(whole), plain: true };
  return isFraction(text) ? { text, plain: true } : { text, plain: false };
}

function wholeNumber(text: string): bigint | undefined {
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const bare = digits.replaceAll("_", "");
  if (!/^[0-9]/.test(digits)) return undefined;
  for (const { form, base } of numbers) {
    const value = form.exec(bare)?.[1];
    if (value === undefined) continue;
    const prefixes = { 16: "0x", 8: "0o", 2: "0b", 10: "" } as const;
    const number = BigInt(prefixes[base] + value);
    if (number >= largest) return undefined;
    return sign === "-" ? -number : number;
  }
  return undefined;
}

function isFraction(text: string): boolean {
  return /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(text) ||
    /^[-+]?\.(inf|Inf|INF)$/.test(text) || /^\.(nan|NaN|NAN)$/.test(text);
}
