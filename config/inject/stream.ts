/** Streams of YAML documents, taken apart and put together without touching what is in them. */

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
 * @returns Text with one line end at its end; empty when no document is left.
 */
export function joinStream(outcomes: readonly Outcome[], eol: string): string {
  let joined = "";
  let comments = "";
  for (const { text, empty, added } of outcomes) {
    if (empty) {
      comments += commentsOf(text, eol);
      continue;
    }
    const [marked, left] = withComments(text, comments);
    joined = append(joined, marked, eol);
    comments = left;
    for (const one of added) joined = append(joined, `---${eol}${one}`, eol);
  }
  if (joined === "") return "";
  return trimEnd(`${withLineEnd(joined, eol)}${comments}`, eol);
}

/**
 * Leaves one line end at the end of a text, unless a block scalar may own the empty lines there.
 *
 * @param text Any text.
 * @param eol Line end to add where there is none.
 */
export function trimEnd(text: string, eol: string): string {
  const last = text.slice(text.lastIndexOf("\n---"));
  if (/[|>][0-9]*\+/.test(last)) return withLineEnd(text, eol);
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  const feed = text.indexOf("\n", end);
  return withLineEnd(feed < 0 ? text : text.slice(0, feed + 1), eol);
}

function append(joined: string, text: string, eol: string): string {
  if (joined === "") return text;
  const before = withLineEnd(joined, eol);
  if (/\n\.\.\.[^\n]*\n$/.test(before)) return before + text;
  const above = /^(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*/.exec(text)?.[0] ?? "";
  // Directives need the end of a document before them, not the start of one.
  if (/^%/m.test(above)) return `${before}...${eol}${text}`;
  if (startMark.test(text.slice(above.length))) return before + text;
  return `${before}---${eol}${text}`;
}

// Comments of a document that goes stand below the mark of the next one.
function withComments(text: string, comments: string): [string, string] {
  const mark = /^---[ \t]*(#.*)?\r?\n/.exec(text)?.[0];
  if (comments === "" || mark === undefined) return [text, comments];
  return [mark + comments + text.slice(mark.length), ""];
}

function commentsOf(text: string, eol: string): string {
  return text.split("\n").flatMap((line) => {
    const comment = /^(?:---)?[ \t]*(#.*?)\r?$/.exec(line)?.[1];
    return comment === undefined ? [] : [comment + eol];
  }).join("");
}

function withLineEnd(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : text + eol;
}
