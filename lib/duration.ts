/** Durations as users of Go programs type them: `1m0s`, `1h30m`, `500ms`. */

/** Unit name to milliseconds. */
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * Parses a duration.
 *
 * @param text One or more numbers with a unit, optionally signed; `0` needs no unit.
 * @returns Milliseconds, or `undefined` if the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (!match) return undefined;
    total += Number(match[1]) * (units[match[2] ?? ""] ?? NaN);
  }
  return body === "" ? undefined : sign * total;
}

/**
 * Formats a duration for {@linkcode parseDuration}.
 *
 * @param ms Milliseconds.
 * @returns Text such as `26h3m4s`, `1.5s`, `350ms`, `0s`; hours are never converted to days.
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return "0s";
  if (ms < 1e-3) return `${decimal(ms * 1e6)}ns`;
  if (ms < 1) return `${decimal(ms * 1e3)}µs`;
  if (ms < 1_000) return `${decimal(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${decimal((ms - minutes * 60_000) / 1_000)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  const short = `${minutes % 60}m${seconds}`;
  return hours === 0 ? short : `${hours}h${short}`;
}

function decimal(value: number): string {
  return String(Number(value.toFixed(9)));
}
