/** Streams of YAML documents, taken apart and put together without touching what is in them. */

import { commentsIn } from "./edit.ts";

/** One document of a stream with everything around it. */
export interface Section {
  /** All its characters; the texts of all sections together are the stream. */
  readonly text: string;
  /** Its place among the documents, counted from 1. */
  readonly number: number;
  /** Line of the stream where it starts, counted from 1. */
  readonly line: number;
}

const startMark = /^---(?=[ \t\r\n]|$)/;
const endMark = /^\.\.\.(?=[ \t\r\n]|$)/;
const contentFree = /^[ \t]*(#.*)?\r?\n?$|^%/;

/**
 * Takes a stream apart.
 *
 * A mark at the start of a line ends a document wherever it stands, so no parser is needed.
 *
 * @param stream Any text.
 */
export function splitStream(stream: string): readonly Section[] {
  const sections: Section[] = [];
  let start = 0;
  let startLine = 1;
  let line = 1;
  // True as long as the section could still be what stands above a mark.
  let open = true;
  function close(end: number, nextLine: number): void {
    if (end > start) {
      const text = stream.slice(start, end);
      sections.push({ text, number: sections.length + 1, line: startLine });
    }
    start = end;
    startLine = nextLine;
    open = true;
  }
  for (let at = 0; at < stream.length; line++) {
    const feed = stream.indexOf("\n", at);
    const next = feed < 0 ? stream.length : feed + 1;
    const text = stream.slice(at, next);
    if (startMark.test(text)) {
      if (!open) close(at, line);
      open = false;
    } else if (endMark.test(text)) close(next, line + 1);
    else if (open) open = contentFree.test(text);
    at = next;
  }
  close(stream.length, line);
  return sections;
}

/** What becomes of a section. */
export interface Outcome {
  /** Its text, changed or not. */
  readonly text: string;
  /** True for a document that says nothing: it goes, its comments stay. */
  readonly empty: boolean;
  /** Documents that follow it, each without a mark. */
  readonly added: readonly string[];
}

/**
 * Puts a stream together.
 *
 * @param outcomes One for each section, in order.
 * @param eol Line end for marks.
 * @returns Text with one line end at its end; empty when nothing is left.
 */
export function joinStream(outcomes: readonly Outcome[], eol: string): string {
  const pieces: string[] = [];
  let comments = "";
  for (const { text, empty, added } of outcomes) {
    if (empty) {
      comments += commentsIn(text).map((comment) => comment + eol).join("");
      continue;
    }
    const [marked, left] = withComments(text, comments);
    comments = left;
    pieces.push(...separated(pieces.at(-1), marked, eol));
    for (const one of added) {
      pieces.push(...separated(pieces.at(-1), `---${eol}${one}`, eol));
    }
  }
  return trimEnd(withLineEnd(pieces.join(""), eol) + comments, eol);
}

/**
 * Leaves one line end at the end of a text, unless a block scalar may own the empty lines there.
 *
 * @param text Any text.
 * @param eol Line end to add where there is none.
 */
export function trimEnd(text: string, eol: string): string {
  const last = text.slice(Math.max(text.lastIndexOf("\n---"), 0));
  if (/[|>][0-9]*\+/.test(last)) return withLineEnd(text, eol);
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  const feed = text.indexOf("\n", end);
  return withLineEnd(feed < 0 ? text : text.slice(0, feed + 1), eol);
}

/** A section and what has to stand before it. */
function separated(
  before: string | undefined,
  text: string,
  eol: string,
): readonly string[] {
  if (before === undefined) return [text];
  const end = before.endsWith("\n") ? "" : eol;
  if (/(^|\n)\.\.\.[^\n]*\n?$/.test(before)) return [end, text];
  const above = /^(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*/.exec(text)?.[0] ?? "";
  // Directives need the end of a document before them, not the start of one.
  if (/^%/m.test(above)) return [end, `...${eol}`, text];
  if (startMark.test(text.slice(above.length))) return [end, text];
  return [end, `---${eol}`, text];
}

// Comments of a document that goes stand below the mark of the next one.
function withComments(text: string, comments: string): [string, string] {
  const mark = /^---[ \t]*(#.*)?\r?\n/.exec(text)?.[0];
  if (comments === "" || mark === undefined) return [text, comments];
  return [mark + comments + text.slice(mark.length), ""];
}

function withLineEnd(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : text + eol;
}
