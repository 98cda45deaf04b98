/** Hiding secrets in texts that leave the program. */

/** Hides secrets. */
export interface Masker {
  /**
   * Hides a value from now on, in all encodings. Of values below 8 characters only those are hidden
   * that are not a plain word, and only where they are alone; below 4 characters none.
   */
  readonly add: (value: string | Uint8Array) => void;
  /** The same for values that are only looked for when a text comes: most processes end before. */
  readonly addLater: (find: () => readonly string[]) => void;
  /** A text with stars in the place of every secret. */
  readonly mask: (text: string) => string;
}

/** What is in the place of a secret. */
const stars = "******";

/** Shorter texts occur by chance as a part of others. */
const least = 8;

const leastAlone = 4;

const mostEncoded = 64 * 1024;

/** In so many documents secrets wait to be looked for; no short command reads more. */
const mostLater = 16;

/** A spelling of a secret. */
interface SecretSpelling {
  readonly text: string;
  /** True when letters or digits beside it make it something else. */
  readonly alone: boolean;
}

/** Makes a masker that hides nothing yet. */
export function createMasker(): Masker {
  const values = new Set<string>();
  // Spelled out when a text comes that is long enough for them: most rows are shorter than keys and certificates.
  let waiting: { readonly value: string; readonly length: number }[] = [];
  let shortest = Infinity;
  const later: (() => readonly string[])[] = [];
  const forms = formIndex();

  function add(value: string): void {
    if (values.has(value)) return;
    values.add(value);
    const length = shortestForm(value);
    waiting.push({ value, length });
    shortest = Math.min(shortest, length);
  }

  function findAll(): void {
    for (const find of later.splice(0)) find().forEach(add);
  }

  /** Spells out what can be in a text of this length. */
  function learn(longest: number): void {
    findAll();
    if (shortest > longest) return;
    const rest: typeof waiting = [];
    shortest = Infinity;
    for (const one of waiting) {
      if (one.length <= longest) listSpellings(one.value).forEach(forms.add);
      else {
        rest.push(one);
        shortest = Math.min(shortest, one.length);
      }
    }
    waiting = rest;
  }

  return {
    add(value) {
      (typeof value === "string" ? [value] : listTexts(value)).forEach(add);
    },
    addLater(find) {
      later.push(find);
      // Each keeps the document in which it will look.
      if (later.length >= mostLater) findAll();
    },
    mask(text) {
      if (later.length > 0 || shortest <= text.length) learn(text.length);
      return withoutCredentials(forms.replace(text));
    },
  };
}

/**
 * Hides what is secret in every configuration that this process has read or sent. There is one:
 * what one part has read may be what a node tells another.
 */
export const processMasker: Masker = createMasker();

/**
 * Hides secrets in the texts of a value.
 *
 * @param value Data; bytes in it stay.
 * @returns The value itself when it has none.
 */
export function maskValue<T>(value: T, mask: Masker["mask"]): T;
export function maskValue(value: unknown, mask: Masker["mask"]): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskValue(item, mask));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let changed: Record<PropertyKey, unknown> | undefined;
  // Of a million lines of a log each comes here, so no pairs are made.
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Record<string, unknown>)[key];
    const masked = maskValue(item, mask);
    const name = mask(key);
    if (masked === item && name === key) continue;
    // Symbols are kept.
    changed ??= { ...value };
    if (name !== key) delete changed[key];
    changed[name] = masked;
  }
  return changed ?? value;
}

/**
 * Hides secrets in the texts of an error and of what caused it.
 *
 * @param error What was thrown; changed in place, so that it keeps its class.
 * @returns The error.
 */
export function maskError<T>(error: T, mask: Masker["mask"]): T {
  let at: unknown = error;
  for (const seen = new Set(); at instanceof Error && !seen.has(at);) {
    seen.add(at);
    at.message = mask(at.message);
    if (at.stack !== undefined) at.stack = mask(at.stack);
    const { hint } = at as { readonly hint?: string };
    if (hint !== undefined) Object.assign(at, { hint: mask(hint) });
    at = at.cause;
  }
  return error;
}

function formIndex() {
  const known = new Map<string, SecretSpelling[]>();
  const all = new Set<string>();
  const unsorted = new Set<string>();
  // How far the next form may at least be behind two characters (Wu and Manber): most of a text is never looked at.
  const shifts = new Uint8Array(1 << 16);
  let width = 0;

  function add(form: SecretSpelling): void {
    if (all.has(form.text)) return;
    all.add(form.text);
    const start = form.text.slice(0, leastAlone);
    const others = known.get(start) ?? [];
    others.push(form);
    known.set(start, others);
    unsorted.add(start);
    if (form.text.length >= width && width > 0) return mark(form.text);
    // The shortest decides how far it is safe to go.
    width = Math.min(form.text.length, least);
    shifts.fill(width - 1);
    all.forEach(mark);
  }

  function mark(text: string): void {
    for (let at = 0; at < width - 1; at++) {
      const pair = addPair(text.charCodeAt(at), text.charCodeAt(at + 1));
      shifts[pair] = Math.min(shifts[pair]!, width - 2 - at);
    }
  }

  function lengthAt(text: string, at: number): number {
    const found = known.get(text.slice(at, at + leastAlone))?.find((form) =>
      text.startsWith(form.text, at) &&
      (!form.alone || isAlone(text, at, at + form.text.length))
    );
    return found?.text.length ?? 0;
  }

  function replace(text: string): string {
    if (known.size === 0) return text;
    for (const start of unsorted) {
      // Longest first: a part must not keep the whole from being found.
      known.get(start)?.sort((a, b) => b.text.length - a.text.length);
    }
    unsorted.clear();
    let out = "";
    let kept = 0;
    let end = 0;
    for (let last = width - 2; last < text.length - 1;) {
      const shift =
        shifts[addPair(text.charCodeAt(last), text.charCodeAt(last + 1))]!;
      if (shift > 0) {
        last += shift;
        continue;
      }
      const at = last++ - (width - 2);
      const length = lengthAt(text, at);
      if (length === 0) continue;
      // Two that overlap are one.
      if (at > end || end === 0) out += text.slice(kept, at) + stars;
      end = Math.max(end, at + length);
      kept = end;
    }
    return end === 0 ? text : out + text.slice(kept);
  }

  return { add, replace };
}

function addPair(first: number, second: number): number {
  return (first * 251 ^ second) & 0xffff;
}

function isAlone(text: string, from: number, to: number): boolean {
  return !/\w/.test(text.charAt(from - 1)) && !/\w/.test(text.charAt(to));
}

/** Bytes that are not text are only ever shown encoded. */
function listTexts(bytes: Uint8Array): readonly string[] {
  try {
    return [new TextDecoder("utf-8", { fatal: true }).decode(bytes)];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const base64 = bytes.toBase64({ omitPadding: true });
    const url = base64.replaceAll("+", "-").replaceAll("/", "_");
    return [base64, url, bytes.toHex()];
  }
}

/** A secret as a whole and each line of it. */
function plainForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [
    ...new Set([secret.trim(), ...lines.filter((line) => !isFrame(line))]),
  ];
}

/** A length that no form of a secret is below: an encoding is longer than what it encodes. */
function shortestForm(secret: string): number {
  const lengths = plainForms(secret).map(({ length }) =>
    length < leastAlone ? least : length // only longer encodings of it are looked for
  );
  return Math.min(...lengths);
}

/** What programs write around a secret when they show it. */
function listSpellings(secret: string): readonly SecretSpelling[] {
  const plain = plainForms(secret);
  const spelled = plain.filter(({ length }) => length >= leastAlone)
    .flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
      text.replaceAll("'", "''"),
      percentEncoded(text),
    ]);
  const encoded = [...new Set([secret, ...plain])]
    .filter(({ length }) => length <= mostEncoded).flatMap(encodings);
  const forms = new Map<string, SecretSpelling>();
  for (const text of [...spelled, ...encoded]) {
    const alone = text.length < least;
    if (alone && (text.length < leastAlone || isWord(text))) continue;
    forms.set(text, { text, alone });
  }
  return [...forms.values()];
}

/** First and last lines of PEM are the same for all. */
function isFrame(line: string): boolean {
  return /^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

function isWord(text: string): boolean {
  return /^\p{L}+$/u.test(text);
}

function percentEncoded(text: string): string {
  // Half a character cannot be encoded.
  return encodeURIComponent(text.toWellFormed());
}

/** Base64 and hexadecimal, also where the secret is in the middle of what was encoded. */
function encodings(text: string): readonly string[] {
  const bytes = encoder.encode(text);
  if (bytes.length < leastAlone) return [];
  const hex = bytes.toHex();
  const found = [hex, hex.toUpperCase(), bytes.toBase64({ omitPadding: true })];
  const shifted = new Uint8Array(2 + bytes.length);
  shifted.set(bytes, 2);
  for (const before of [0, 1, 2]) {
    const inside = shifted.subarray(2 - before);
    // Characters that also hold bits of what is before or behind differ each time.
    const first = Math.ceil(before * 8 / 6);
    const last = Math.floor(inside.length * 8 / 6);
    found.push(inside.toBase64({ omitPadding: true }).slice(first, last));
  }
  for (const base64 of found.slice(2)) {
    if (!/[+/]/.test(base64)) continue;
    found.push(base64.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return found.filter(({ length }) => length >= least);
}

const encoder = new TextEncoder();

/** What is secret wherever it is from: passwords in URLs, and private keys. */
function withoutCredentials(text: string): string {
  let rest = text;
  if (rest.includes("://") && rest.includes("@")) {
    // A database has addresses, and an @ somewhere behind them; no password has bytes of control.
    // deno-lint-ignore no-control-regex
    const password = /(:\/\/[^\s/:@]*:)[^\s/@\x00-\x1f\x7f]+@/g;
    rest = rest.replace(password, `$1${stars}@`);
  }
  if (rest.includes("PRIVATE KEY-----")) {
    // As it is, or quoted.
    rest = rest.replace(
      /(PRIVATE KEY-----(?:\\[nr]|\s)+)(?:[A-Za-z0-9+/=]|\\[nr]|\s){40,}/g,
      `$1${stars}\n`,
    );
  }
  return rest;
}
