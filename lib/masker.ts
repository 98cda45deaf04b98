/** Masks secrets in output. */

/** Hides secrets. */
export interface Masker {
  /**
   * Masks a value from now on, in all encodings. Values below 8 characters are masked only if they are
   * not a plain word and stand alone; values below 4 characters never.
   */
  readonly add: (value: string | Uint8Array) => void;
  /** The same for values that are computed when the first text is masked: most processes finish without one. */
  readonly addLater: (find: () => readonly string[]) => void;
  /** Returns the text with stars in place of every secret. */
  readonly mask: (text: string) => string;
}

/** Replacement for a secret. */
const stars = "******";

/** Shorter texts occur by chance inside others. */
const least = 8;

const leastAlone = 4;

const mostEncoded = 64 * 1024;

/** Most documents with pending secrets; no short command reads more. */
const mostLater = 16;

/** An encoded form of a secret. */
interface SecretSpelling {
  readonly text: string;
  /** True if adjacent letters or digits make it a different text. */
  readonly alone: boolean;
}

/** Creates an empty masker. */
export function createMasker(): Masker {
  const values = new Set<string>();
  // Encoded when a text is long enough to contain them: most rows are shorter than keys and certificates.
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

  /** Encodes the secrets that fit in a text of this length. */
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
      // Each pending secret keeps its document in memory.
      if (later.length >= mostLater) findAll();
    },
    mask(text) {
      if (later.length > 0 || shortest <= text.length) learn(text.length);
      return withoutCredentials(forms.replace(text));
    },
  };
}

/**
 * Masks the secrets of every configuration that this process has read or sent. Shared, because a secret read in one
 * place can appear in a message from another node.
 */
export const processMasker: Masker = createMasker();

/**
 * Masks secrets in the strings of a value.
 *
 * @param value Data; bytes are not masked.
 * @returns The same value if it has no secrets.
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
  // Called for every line of a long log, so no entry pairs are allocated.
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
 * Masks secrets in the texts of an error and its causes.
 *
 * @param error Changed in place, so that it keeps its class.
 * @returns The same error.
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
  // Shortest distance from two characters to the next form (Wu and Manber), so that most of a text is skipped.
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
    // The shortest form limits the safe shift.
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
      // Longest first, so that a part does not hide the whole.
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
      // Overlapping matches are joined.
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

/** Binary secrets are only ever printed encoded. */
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

function plainForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [
    ...new Set([secret.trim(), ...lines.filter((line) => !isFrame(line))]),
  ];
}

/** Lower limit for the length of all forms: an encoding is longer than its input. */
function shortestForm(secret: string): number {
  const lengths = plainForms(secret).map(({ length }) =>
    length < leastAlone ? least : length // only longer encodings of it are searched
  );
  return Math.min(...lengths);
}

/** Common spellings of a secret in output. */
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

/** First and last lines of PEM are not secret. */
function isFrame(line: string): boolean {
  return /^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

function isWord(text: string): boolean {
  // Compiling a class of Unicode takes a millisecond, so only a text that needs it is compared with one.
  return /^[A-Za-z]+$/.test(text) ||
    /[^ -~]/.test(text) && /^\p{L}+$/u.test(text);
}

function percentEncoded(text: string): string {
  // A lone surrogate cannot be encoded.
  return encodeURIComponent(text.toWellFormed());
}

/** Base64 and hexadecimal, also for a secret inside a longer encoded text. */
function encodings(text: string): readonly string[] {
  const bytes = encoder.encode(text);
  if (bytes.length < leastAlone) return [];
  const hex = bytes.toHex();
  const found = [hex, hex.toUpperCase(), bytes.toBase64({ omitPadding: true })];
  const shifted = new Uint8Array(2 + bytes.length);
  shifted.set(bytes, 2);
  for (const before of [0, 1, 2]) {
    const inside = shifted.subarray(2 - before);
    // Characters that share bits with the text before or after vary.
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

/** Masks passwords in URLs and private keys, known or not. */
function withoutCredentials(text: string): string {
  let rest = text;
  if (rest.includes("://") && rest.includes("@")) {
    // Databases contain URLs with an @ somewhere after them; passwords have no control bytes.
    // deno-lint-ignore no-control-regex
    const password = /(:\/\/[^\s/:@]*:)[^\s/@\x00-\x1f\x7f]+@/g;
    rest = rest.replace(password, `$1${stars}@`);
  }
  if (rest.includes("PRIVATE KEY-----")) {
    // Plain or quoted.
    rest = rest.replace(
      /(PRIVATE KEY-----(?:\\[nr]|\s)+)(?:[A-Za-z0-9+/=]|\\[nr]|\s){40,}/g,
      `$1${stars}\n`,
    );
  }
  return rest;
}
