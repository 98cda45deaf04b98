/** Lengths of time and sizes, as numbers to compare. */

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
};

/**
 * Reads a length of time.
 *
 * @param text `1h30m`, `-5s`, `500ms`.
 * @returns Milliseconds; 0 for anything else.
 */
export function millisecondsOf(text: string): number {
  const parts = text.matchAll(/(\d+\.?\d*|\.\d+)([a-zµμ]+)/g).map(
    ([, count, unit = ""]) => Number(count) * (units[unit] ?? 0),
  );
  const total = parts.reduce((sum, part) => sum + part, 0);
  return text.startsWith("-") && total > 0 ? -total : total;
}

const prefixes = ["", "k", "m", "g", "t", "p", "e"];

/**
 * Reads a size.
 *
 * @param text `10GiB`, `1.5 TB`, `1,000`, `4096`; `GB` counts by thousands, `GiB` by 1024.
 * @returns Bytes; `undefined` for anything else, such as a percentage.
 */
export function bytesOf(text: string): number | undefined {
  const [, count = "", prefix = "", binary] =
    /^([\d.,]*\d[\d.,]*)\s*([kmgtpe]?)(i?)b?\s*$/i.exec(text) ?? [];
  const number = Number(count.replaceAll(",", ""));
  if (count === "" || Number.isNaN(number)) return undefined;
  const step = binary === "" ? 1000 : 1024;
  return Math.floor(number * step ** prefixes.indexOf(prefix.toLowerCase()));
}
