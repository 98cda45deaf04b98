/** Lines at the bottom of the terminal, below all other output. */

import { concatBytes } from "../lib/bytes.ts";
import type { Environment, Sink, Size } from "./environment.ts";
import { type ColorChoice, hasColor, type Paint, painter } from "./tone.ts";

/** Lines at the bottom of the terminal. */
export interface LiveLines {
  /** Current size of the terminal. */
  readonly size: () => Size;
  /**
   * Replaces the drawn lines; they must fit. Never fails: drawing is not awaited.
   *
   * @param latest Later content, for when drawing is delayed.
   */
  readonly draw: (
    lines: readonly string[],
    latest?: () => readonly string[],
  ) => Promise<void>;
  /** Colours texts for drawing. */
  readonly paint: Paint;
  /** Sets the colour choice; `auto` before. */
  readonly color: (choice: ColorChoice) => void;
  /** Leaves the drawn lines in place; later ones are drawn below. */
  readonly leave: () => Promise<void>;
  /**
   * Gives the terminal to a question and its input; drawn lines stay above until then, and other output
   * waits. Afterwards the question and its answer remain.
   *
   * @param work Writes to standard error directly.
   */
  readonly alone: <T>(work: (stderr: Sink) => Promise<T>) => Promise<T>;
}

interface ShownLines {
  readonly lines: readonly string[];
  /** Width of the terminal when they were drawn. */
  readonly columns: number;
}

const nothing: ShownLines = { lines: [], columns: 0 };

/** Size of a terminal that reports none. */
const usual: Size = { columns: 80, rows: 24 };

/**
 * Adds lines at the bottom of the terminal, if standard error is one.
 *
 * If `TERM` is `dumb`, nothing is drawn, not even full screens.
 *
 * @param environment Streams; output to those that are terminals goes above the lines.
 */
export function withLiveLines(environment: Environment): Environment {
  const { stdout, stderr, env } = environment;
  // A line-only terminal, such as that of an editor, has no full screen either.
  if (env("TERM") === "dumb") {
    const { screen: _, ...plain } = environment;
    return plain;
  }
  if (!stderr.terminal) return environment;
  const choosePaint = (choice: ColorChoice) =>
    painter(hasColor(choice, { terminal: true, env }));
  let paint = choosePaint("auto");
  let shown = nothing;
  let wanted = nothing.lines;
  let latest = () => wanted;
  let torn = false;
  let last: Promise<unknown> = Promise.resolve();

  function size(): Size {
    const columns = stderr.columns() ?? usual.columns;
    return { columns, rows: stderr.rows?.() ?? usual.rows };
  }

  /** Runs writes in sequence: concurrent output must not mix. */
  function enqueue<T>(write: () => Promise<T>): Promise<T> {
    const done = last.then(write);
    last = done.catch(() => {});
    return done;
  }

  function change(lines: readonly string[]): string {
    const { columns } = size();
    const text = frame(shown, { lines, columns });
    shown = { lines, columns };
    return text;
  }

  async function redraw(): Promise<void> {
    if (torn) return;
    const text = change(wanted);
    if (text !== "") await stderr.write(encoder.encode(text));
  }

  function above(sink: Sink): Sink {
    async function write(bytes: Uint8Array): Promise<void> {
      if (wanted.length === 0) return await sink.write(bytes);
      const before = encoder.encode(change(nothing.lines));
      // Nothing can be drawn after an incomplete line.
      torn = bytes.at(-1) !== lineEnd;
      const after = encoder.encode(torn ? "" : change(wanted));
      await sink.write(concatBytes([before, bytes, after]));
    }
    return sink.terminal
      ? { ...sink, write: (bytes) => enqueue(() => write(bytes)) }
      : sink;
  }

  const live: LiveLines = {
    size,
    paint: (text, tone) => paint(text, tone),
    color: (choice) => void (paint = choosePaint(choice)),
    draw(lines, later = () => lines) {
      [wanted, latest] = [lines, later];
      return enqueue(redraw).catch(() => {});
    },
    leave: () =>
      enqueue(() => {
        wanted = nothing.lines;
        latest = () => wanted;
        [shown, torn] = [nothing, false];
        return Promise.resolve();
      }),
    alone: (work) =>
      enqueue(async () => {
        wanted = latest();
        await redraw();
        const drawn = shown;
        [shown, torn] = [nothing, false];
        const asked = watchSink(stderr);
        try {
          return await work(asked.sink);
        } finally {
          const { columns, rows } = size();
          const lines = asked.lines();
          const moved = withdrawn(drawn, { lines, columns }, rows);
          await stderr.write(encoder.encode(moved)).catch(() => {});
        }
      }),
  };
  return { ...environment, stdout: above(stdout), stderr: above(stderr), live };
}

/** Sink for a question, and the lines of it and its answer. */
function watchSink(
  sink: Sink,
): { readonly sink: Sink; readonly lines: () => readonly string[] } {
  const decoder = new TextDecoder();
  let text = "";
  return {
    sink: {
      ...sink,
      write(bytes) {
        text += decoder.decode(bytes, { stream: true });
        return sink.write(bytes);
      },
      typed: (line) => void (text += `${line}\n`),
    },
    lines: () => text === "" ? [] : text.replace(/\n$/, "").split("\n"),
  };
}

/**
 * Removes a drawing above a question and its answer, which stay; the cursor is below them before and after.
 * Returns control sequences; empty if there is no drawing, or it has scrolled off the screen.
 *
 * @param rows Height of the terminal.
 */
function withdrawn(
  drawn: ShownLines,
  asked: ShownLines,
  rows: number,
): string {
  const { columns } = asked;
  const [above, below] = [
    measureHeight(drawn, columns),
    measureHeight(asked, columns),
  ];
  if (above === 0 || above + below >= rows) return "";
  const down = below === 0 ? "" : `\x1b[${below}B`;
  return `\x1b[${above + below}A\r\x1b[${above}M${down}`;
}

const encoder = new TextEncoder();

const lineEnd = 10;

/**
 * Writes the difference between two drawings; the cursor is below the last line before and after.
 * Returns text and control sequences, as few as possible.
 */
export function frame(shown: ShownLines, next: ShownLines): string {
  const { lines, columns } = next;
  const kept = shown.columns === columns ? shown.lines : [];
  const isSame = kept.length === lines.length &&
    lines.every((line, i) => line === kept[i]);
  if (isSame && shown.lines.length === kept.length) return "";
  const up = measureHeight(shown, columns);
  const start = up === 0 ? "" : `\x1b[${up}A\r`;
  // Line by line: some terminals keep text cleared from the top row in their scrollback.
  if (lines.length === 0) return start + "\x1b[K\r\n".repeat(up) + start;
  const drawn = lines.map((line, i) => {
    if (line === kept[i]) return "\r\n";
    // After a full line the cursor stays on its last character, and would clear it.
    const isFull = measureWidth(line) >= columns;
    return isFull ? `\x1b[K${line}\r\n` : `${line}\x1b[K\r\n`;
  });
  // Characters may be wider than counted; a wrapped line would shift all others.
  return `${start}\x1b[?7l${drawn.join("")}\x1b[J\x1b[?7h`;
}

/** A narrower terminal has wrapped its lines. */
function measureHeight({ lines }: ShownLines, columns: number): number {
  const heights = lines.map((line) =>
    Math.max(1, Math.ceil(measureWidth(line) / columns))
  );
  return heights.reduce((sum, height) => sum + height, 0);
}

function measureWidth(line: string): number {
  // deno-lint-ignore no-control-regex
  return [...line.replace(/\x1b\[[\d;]*m/g, "")].length;
}
