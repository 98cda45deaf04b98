/** Implicit types of unquoted YAML scalars: text, number, boolean, date … */

// All other texts are always texts.
const start = /^[-+0-9.yYnNtTfFoO~]/;

// Words that only YAML 1.1 reads as another type, and the merge key.
const oldWords = new Set([
  ...["y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO"],
  ...["on", "On", "ON", "off", "Off", "OFF", "<<"],
]);

const words = new Set([
  ...oldWords,
  ...["", "~", "null", "Null", "NULL"],
  ...["true", "True", "TRUE", "false", "False", "FALSE"],
  ...[".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"],
  ...["+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"],
]);

const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const fraction = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;
const based = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const date = /^(\d{4})-(\d\d?)-(\d\d?)(?:([Tt ].*))?$/;
const zonedTime =
  /^[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))$/;
const localTime = /^ +(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?$/;

/**
 * Reports whether an unquoted text is read as a text.
 *
 * Follows the rules of nodes (YAML 1.2 with Go integers); booleans and sexagesimal numbers of YAML 1.1
 * are not texts either, because other parsers know them.
 */
export function staysText(text: string): boolean {
  if (words.has(text)) return false;
  if (!start.test(text)) return true;
  const first = text[0] ?? "";
  if (first === ".") return !isInRange(text, fraction);
  if (!/[-+0-9]/.test(first)) return true;
  return !isInstant(text) && !sexagesimal.test(text) &&
    !isNumber(text.replaceAll("_", ""));
}

/** Reports whether a text is a boolean or a sexagesimal number in YAML 1.1 only, or the merge key. */
export function isOldWord(text: string): boolean {
  return oldWords.has(text) || sexagesimal.test(text);
}

/**
 * Parses an unquoted scalar as a whole number: decimal, `0x`, `0o`, `0b`, octal with a leading zero,
 * with underscores after the first character, and whole decimal fractions, such
 * as `1.0` and `1e3`. Returns `undefined` for anything else.
 */
export function parseWholeNumber(text: string): bigint | undefined {
  if (!/^[-+0-9]/.test(text) && !fraction.test(text)) return undefined;
  const bare = text.replaceAll("_", "");
  const [, sign, digits] = based.exec(bare) ?? [];
  if (digits !== undefined) {
    return sign === "-" ? -measureSize(digits) : measureSize(digits);
  }
  if (/^[-+]?\d+$/.test(bare)) return BigInt(bare.replace("+", ""));
  const value = decimal.test(bare) ? Number(bare) : NaN;
  return Number.isInteger(value) ? BigInt(value) : undefined;
}

function isNumber(text: string): boolean {
  return isInRange(text, decimal) || isBased(text);
}

// A number out of range is a text.
function isInRange(text: string, form: RegExp): boolean {
  return form.test(text) && Number.isFinite(Number(text.replaceAll("_", "")));
}

function isBased(text: string): boolean {
  const [, sign, digits] = based.exec(text) ?? [];
  if (digits === undefined) return false;
  const size = measureSize(digits);
  return size < (sign === "" ? 2n ** 64n : 2n ** 63n) ||
    (sign === "-" && size === 2n ** 63n);
}

function measureSize(digits: string): bigint {
  return BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
}

function isInstant(text: string): boolean {
  const [, year, month, day, time] = date.exec(text) ?? [];
  if (year === undefined) return false;
  return isDay(Number(year), Number(month), Number(day)) &&
    (time === undefined || isTime(time));
}

function isDay(year: number, month: number, day: number): boolean {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}

function isTime(text: string): boolean {
  const parts = zonedTime.exec(text) ?? localTime.exec(text);
  if (parts === null) return false;
  const [hour, minute, second, ...zone] = parts.slice(1).map(Number);
  const [zoneHour = NaN, zoneMinute = NaN] = zone;
  return within(hour, 23) && within(minute, 59) && within(second, 59) &&
    !(zoneHour > 24) && !(zoneMinute > 60);
}

function within(value: number | undefined, most: number): boolean {
  return value !== undefined && value <= most;
}
