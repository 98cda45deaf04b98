/** Imports of programs that are to have none. */

/** An import. */
export interface Import {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
  /** How it is written: `import`, `import()`, `export … from`. */
  readonly kind: "import" | "import()" | "export … from";
}

interface ImportToken {
  readonly kind: "word" | "mark" | "text";
  readonly text: string;
  readonly at: number;
}

/** Words behind which a slash begins a regular expression. */
const beforeRegex = new Set(
  "return typeof instanceof in of new delete void throw case do else yield await"
    .split(" "),
);

/** Words whose parentheses hold a condition, behind which a slash begins a regular expression. */
const conditions = new Set(["if", "while", "for", "with"]);

/** Marks behind which a slash can be a division as well as the begin of a regular expression. */
const unclear = new Set(["}", "!", "+", "-", ">"]);

/** Everything that could be an import, wherever it is. */
const anyImport =
  /(?<![.\w$])import(?!\s+type\s+[\w{*])(?=\s*[("'`{*/\w])|(?<![.\w$])export\s*(?:\*|\{[^}]*\}\s*from)/g;

/**
 * Finds imports that are there when a program runs; those of types vanish before.
 *
 * In the rare programs where only a whole compiler could tell a division from
 * a regular expression, texts and comments count, too.
 */
export function importsIn(program: string): readonly Import[] {
  const reading = readingOf(program);
  const found = reading.isUnclear
    ? [...program.matchAll(anyImport)].map(({ index }) => ({
      at: index,
      kind: kindAt(program, index),
    }))
    : importsAmong(reading.tokens);
  return found.map(({ at, kind }) => ({ ...placeOf(program, at), kind }));
}

function kindAt(program: string, at: number): Import["kind"] {
  if (program.startsWith("export", at)) return "export … from";
  return /^import\s*\(/.test(program.slice(at)) ? "import()" : "import";
}

function importsAmong(
  tokens: readonly ImportToken[],
): readonly { readonly at: number; readonly kind: Import["kind"] }[] {
  return tokens.flatMap(({ kind, text, at }, index) => {
    const before = tokens[index - 1];
    const isMember = before?.kind === "mark" &&
      (before.text === "." || before.text === "?.");
    if (kind !== "word" || isMember) return [];
    if (text === "import") {
      const found = importKind(tokens, index + 1);
      return found === undefined ? [] : [{ at, kind: found }];
    }
    const isFrom = text === "export" && exportsFrom(tokens, index + 1);
    return isFrom ? [{ at, kind: "export … from" } as const] : [];
  });
}

function importKind(
  tokens: readonly ImportToken[],
  index: number,
): Import["kind"] | undefined {
  const [next, after] = tokens.slice(index, index + 2);
  if (isMark(next, "(")) return "import()";
  // `import.meta`, and members of that name.
  if (isMark(next, ".") || isMark(next, ":")) return undefined;
  if (!isWord(next, "type")) return "import";
  // A default import may be called `type`.
  const isName = after?.kind === "word" && after.text !== "from";
  return isName || isMark(after, "{") || isMark(after, "*")
    ? undefined
    : "import";
}

function exportsFrom(tokens: readonly ImportToken[], start: number): boolean {
  const next = tokens[start];
  if (isMark(next, "*")) return true;
  if (!isMark(next, "{")) return false;
  const close = tokens.findIndex((token, index) =>
    index > start && isMark(token, "}")
  );
  return close >= 0 && isWord(tokens[close + 1], "from");
}

function isMark(token: ImportToken | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}

function isWord(token: ImportToken | undefined, text: string): boolean {
  return token?.kind === "word" && token.text === text;
}

interface ImportScan {
  readonly program: string;
  readonly tokens: ImportToken[];
  /** Words in front of open parentheses. */
  readonly parentheses: string[];
  /** Word in front of the parentheses that were closed last. */
  closed: string;
  /** True when the tokens may not be the right ones. */
  isUnclear: boolean;
}

function readingOf(program: string): ImportScan {
  const reading: ImportScan = {
    program,
    tokens: [],
    parentheses: [],
    closed: "",
    isUnclear: false,
  };
  read(reading, 0, undefined);
  return reading;
}

/** Reads tokens up to the end, or to the brace that ends an expression in a text. */
function read(
  reading: ImportScan,
  start: number,
  until: "}" | undefined,
): number {
  const { program } = reading;
  let depth = 0;
  let at = start;
  while (at < program.length) {
    const blank = blankAt(program, at);
    if (blank > at) {
      at = blank;
      continue;
    }
    const one = program[at];
    if (one === "{") depth++;
    if (one === "}" && until !== undefined && depth-- === 0) return at + 1;
    at = readToken(reading, at);
  }
  return at;
}

function readToken(reading: ImportScan, at: number): number {
  const { program, tokens } = reading;
  const one = program[at] ?? "";
  const word = wordAt(program, at);
  if (word !== "") {
    tokens.push({ kind: "word", text: word, at });
    return at + word.length;
  }
  if (one === '"' || one === "'") {
    tokens.push({ kind: "text", text: one, at });
    return quoted(program, at, one);
  }
  if (one === "`") {
    tokens.push({ kind: "text", text: one, at });
    return readTemplate(reading, at + 1);
  }
  if (one === "/" && beginsRegex(reading)) {
    tokens.push({ kind: "text", text: one, at });
    return regexEnd(program, at);
  }
  if (one === "(") reading.parentheses.push(tokens.at(-1)?.text ?? "");
  if (one === ")") reading.closed = reading.parentheses.pop() ?? "";
  const text = program.startsWith("?.", at) ? "?." : one;
  tokens.push({ kind: "mark", text, at });
  return at + text.length;
}

function beginsRegex(reading: ImportScan): boolean {
  const last = reading.tokens.at(-1);
  if (last === undefined) return true;
  if (last.kind === "text") return false;
  if (last.kind === "word") return beforeRegex.has(last.text);
  if (last.text === ")") return conditions.has(reading.closed);
  if (unclear.has(last.text)) reading.isUnclear = true;
  return last.text !== "]";
}

function readTemplate(reading: ImportScan, start: number): number {
  const { program } = reading;
  let at = start;
  while (at < program.length) {
    if (program[at] === "`") return at + 1;
    if (program[at] === "\\") at += 2;
    else if (program.startsWith("${", at)) at = read(reading, at + 2, "}");
    else at++;
  }
  return at;
}

function quoted(program: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < program.length && program[at] !== quote) {
    if (program[at] === "\n" || program[at] === "\r") return at;
    at += program[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function regexEnd(program: string, start: number): number {
  let isSet = false;
  let at = start + 1;
  while (at < program.length) {
    const one = program[at];
    if (one === undefined || lineEnd.test(one)) return at;
    if (one === "\\") at++;
    else if (one === "[") isSet = true;
    else if (one === "]") isSet = false;
    else if (one === "/" && !isSet) return at + 1;
    at++;
  }
  return at;
}

const lineEnd = /[\n\r\u2028\u2029]/;

/** Where blanks and comments end. */
function blankAt(program: string, at: number): number {
  if (program.startsWith("//", at) || at === 0 && program.startsWith("#!")) {
    const length = program.slice(at).search(lineEnd);
    return length < 0 ? program.length : at + length;
  }
  if (program.startsWith("/*", at)) {
    const end = program.indexOf("*/", at + 2);
    return end < 0 ? program.length : end + 2;
  }
  return /\s/.test(program[at] ?? "") ? at + 1 : at;
}

const wordForm = /[\p{ID_Start}$_#\d][\p{ID_Continue}$\u200c\u200d]*/uy;

function wordAt(program: string, at: number): string {
  wordForm.lastIndex = at;
  return wordForm.exec(program)?.[0] ?? "";
}

function placeOf(
  program: string,
  at: number,
): Pick<Import, "line" | "column"> {
  const lines = program.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
