import { formatDuration } from "../lib/duration.ts";

const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/**
 * Formats a size in powers of 1000.
 *
 * @param size Bytes, not negative.
 * @returns Text such as `7 B`, `1.0 kB`, `12 MB`: one decimal below 10, else none.
 */
export function bytesText(size: number | bigint): string {
  return sizeText(size, 1000, units);
}

/**
 * Formats a size in powers of 1024.
 *
 * @param size Bytes, not negative.
 * @returns Text such as `7 B`, `1.0 KiB`, `12 MiB`: one decimal below 10, else none.
 */
export function ibytesText(size: number | bigint): string {
  return sizeText(size, 1024, binaryUnits);
}

/** Bytes of a formatted size, such as `12 MB` or `1.0 KiB`; `undefined` for any other text. */
export function parseSizeText(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?) (\w+)$/.exec(text) ?? [];
  for (const [base, names] of [[1000, units], [1024, binaryUnits]] as const) {
    const power = names.indexOf(unit);
    if (power >= 0) return Number(amount) * base ** power;
  }
  return undefined;
}

function sizeText(
  size: number | bigint,
  base: number,
  units: readonly string[],
): string {
  if (size < 10) return `${size} B`;
  let unit = 0;
  let value = Number(size);
  // The last unit is unlimited.
  while (value >= base && unit < units.length - 1) {
    value /= base;
    unit++;
  }
  const rounded = Math.floor(value * 10 + 0.5) / 10;
  const text = rounded < 10 ? rounded.toFixed(1) : String(evenly(rounded));
  return `${text} ${units[unit]}`;
}

/** Rounds half to even, as Go prints numbers. */
function evenly(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const month = 30 * day;
const year = 12 * month;

/** Exclusive upper bound to text; `%` is the distance in units of `by`. */
const distances: readonly (readonly [number, string, number])[] = [
  [second, "now", 1],
  [2 * second, "1 second", 1],
  [minute, "% seconds", second],
  [2 * minute, "1 minute", 1],
  [hour, "% minutes", minute],
  [2 * hour, "1 hour", 1],
  [day, "% hours", hour],
  [2 * day, "1 day", 1],
  [week, "% days", day],
  [2 * week, "1 week", 1],
  [month, "% weeks", week],
  [2 * month, "1 month", 1],
  [year, "% months", month],
  [18 * month, "1 year", 1],
  [2 * year, "2 years", 1],
  [37 * year, "% years", year],
];

/**
 * Formats a time relative to now.
 *
 * @param time ISO 8601.
 * @returns Text such as `now`, `5 minutes ago`, `2 weeks from now`, `a long time ago`; the input if it is not a time.
 */
export function relativeTime(time: string, now: Date): string {
  const passed = now.getTime() - Date.parse(time);
  if (Number.isNaN(passed)) return time;
  const ahead = passed < 0 ? "from now" : "ago";
  const distance = Math.abs(passed);
  const found = distances.find(([below]) => distance < below);
  if (found === undefined) return `a long time ${ahead}`;
  const [, text, by] = found;
  if (text === "now") return text;
  return `${text.replace("%", String(Math.floor(distance / by)))} ${ahead}`;
}

/**
 * Formats the time between two points, rounded to whole seconds.
 *
 * @param since ISO 8601.
 * @returns Text such as `1m3s`; empty when `since` is not a time.
 */
export function age(since: string, now: Date): string {
  const ms = now.getTime() - Date.parse(since);
  return Number.isNaN(ms)
    ? ""
    : formatDuration(Math.round(ms / second) * second);
}

/**
 * Formats a time as Go programs print it.
 *
 * @param time ISO 8601, UTC, such as `2026-01-02T03:04:05.25Z`.
 * @returns `2026-01-02 03:04:05.25 +0000 UTC`; the input if it has another form.
 */
export function goTime(time: string): string {
  return time.replace(
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z$/,
    "$1 $2 +0000 UTC",
  );
}
