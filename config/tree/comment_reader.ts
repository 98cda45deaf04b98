/** Assigns the comments between the values of a YAML file to their owners. */

import type { Place } from "./node.ts";

/** Lines of a comment; `undefined` is an empty line. */
type CommentLines = (string | undefined)[];

/** An entry or item that receives comments. */
export interface Owner {
  before?: CommentLines;
  line?: string;
}

/** A collection that receives the comments below its last entry. */
export interface Collection {
  after?: CommentLines;
}

interface Extent {
  /** Column of its first key or dash, from 1. */
  readonly column: number;
  /** True for `[…]` and `{…}`. */
  readonly flow: boolean;
  /** Entry or item with this value. */
  readonly holder: Owner;
}

/** Reader of the comments between tokens; tokens are passed in file order. */
export interface CommentReader {
  /** Offset after the last token. */
  readonly end: number;
  /** Line and column of an offset; fastest when offsets grow. */
  findPlace(offset: number): Place;
  /** Adds a scalar, an alias, or the first character of a collection item. */
  token(start: number, end: number, holder: Owner): void;
  /** Adds a missing value. */
  nothing(holder: Owner): void;
  close(collection: Collection, extent: Extent): void;
  /** Starts a document after a `---`. */
  document(): void;
  finish(length: number): void;
}

interface CommentScan {
  readonly text: string;
  readonly locate: (offset: number) => Place;
  end: number;
  /** Offset of the first `#` at or after {@linkcode end}, comment or not. */
  hash: number;
  /** Owner of a comment on the line of the last token. */
  owner: Owner | undefined;
  /** Collections closed since the last token, the innermost first. */
  closed: { readonly collection: Collection; readonly column: number }[];
  /** Comments above the first value of the file. */
  pending: CommentLines;
}

/** Creates a reader at the start of a text. */
export function makeCommentReader(text: string, file: string): CommentReader {
  const state: CommentScan = {
    text,
    locate: places(text, file),
    end: 0,
    hash: text.indexOf("#"),
    owner: undefined,
    closed: [],
    pending: [],
  };
  return {
    get end() {
      return state.end;
    },
    findPlace: state.locate,
    token(start, end, holder) {
      passTo(state, start, holder);
      state.end = Math.max(state.end, end);
      state.owner = holder;
    },
    nothing(holder) {
      state.owner = holder;
    },
    close(collection, { column, flow, holder }) {
      if (flow) {
        state.end = endOfFlow(state);
        state.owner = holder;
      } else state.closed.push({ collection, column });
    },
    document() {
      const marker = /^---(?=\s|$)/gm;
      marker.lastIndex = state.end;
      const start = marker.exec(text)?.index ?? state.end;
      passTo(state, start, undefined);
      state.end = start + 3;
      state.owner = undefined;
      state.closed = [];
    },
    finish(length) {
      passTo(state, length, undefined);
    },
  };
}

/** Assigns the comments before the next token to their owners. */
function passTo(
  state: CommentScan,
  start: number,
  next: Owner | undefined,
): void {
  if (state.hash < state.end && state.hash >= 0) {
    state.hash = state.text.indexOf("#", state.end);
  }
  if (state.hash >= 0 && state.hash < start) attach(state, start, next);
  if (next !== undefined) {
    if (state.pending.length > 0) {
      next.before = [...state.pending, ...next.before ?? []];
      state.pending = [];
    }
    // Another token at the same offset must not take its comments.
    if (start > state.end) state.end = start;
    state.closed = [];
  }
}

function attach(
  state: CommentScan,
  start: number,
  next: Owner | undefined,
): void {
  const { text, owner, closed } = state;
  // Line blocks end where the next line begins.
  const fresh = state.end === 0 || text[state.end - 1] === "\n";
  const lines = text.slice(state.end, start).split("\n");
  const nextColumn = next === undefined
    ? 0
    : findIndent(lines) ?? state.locate(start).column;
  let blank = false;
  let target: CommentLines = [];
  let isNext = false;
  // The text after the last line break belongs to the line of the next token.
  for (const [index, line] of lines.entries()) {
    const at = commentStart(line, index > 0 || fresh);
    if (at < 0) {
      blank ||= (index > 0 || fresh) && index < lines.length - 1 &&
        line.trim() === "";
      continue;
    }
    const comment = trimComment(line.slice(at));
    if (index === 0 && !fresh && owner !== undefined) {
      owner.line = comment;
      continue;
    }
    const alone = line.slice(0, at).trim() === "";
    const below: Collection | undefined = alone && !isNext
      ? collectionAt(closed, at + 1, nextColumn)
      : undefined;
    isNext = below === undefined;
    target = below === undefined
      ? beforeNext(state, next)
      : (below.after ??= []);
    if (blank) target.push(undefined);
    blank = false;
    target.push(comment);
  }
  if (blank && isNext) target.push(undefined);
}

/** Column of the first text of the last line, possibly a dash. */
function findIndent(lines: readonly string[]): number | undefined {
  const at = lines.length > 1 ? lines.at(-1)?.search(/\S/) : undefined;
  return at === undefined || at < 0 ? undefined : at + 1;
}

/** The innermost closed collection for a comment in this column. */
function collectionAt(
  closed: CommentScan["closed"],
  column: number,
  nextColumn: number,
): Collection | undefined {
  return closed.find((one) => one.column <= column && one.column > nextColumn)
    ?.collection;
}

function beforeNext(state: CommentScan, next: Owner | undefined): CommentLines {
  if (next === undefined) return state.pending;
  return next.before ??= [];
}

/** Offset of a comment in a line of a gap, -1 if there is none. */
function commentStart(line: string, wholeLine: boolean): number {
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1)) {
    const before = line[at - 1];
    if (before === " " || before === "\t" || (at === 0 && wholeLine)) return at;
  }
  return -1;
}

function trimComment(comment: string): string {
  return comment.slice(comment.startsWith("# ") ? 2 : 1).trimEnd();
}

/** Offset after the bracket of a flow collection, or after the last token if something else comes first. */
function endOfFlow({ text, end }: CommentScan): number {
  const filler = /[\s,]*((?<=\s)#.*)?/y;
  filler.lastIndex = end;
  while (filler.exec(text)?.[1] !== undefined);
  const at = filler.lastIndex;
  return text[at] === "]" || text[at] === "}" ? at + 1 : end;
}

function places(text: string, file: string): (offset: number) => Place {
  let line = 1;
  let start = 0;
  let end = endOfLine(text, start);
  return (offset) => {
    if (offset < start) {
      line = 1;
      start = 0;
      end = endOfLine(text, start);
    }
    while (end < offset) {
      line++;
      start = end + 1;
      end = endOfLine(text, start);
    }
    return { file, line, column: offset - start + 1 };
  };
}

/** Cached between calls: a new search for each token of a long line is slow. */
function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? Infinity : end;
}
