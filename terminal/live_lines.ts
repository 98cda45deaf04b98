/** Lines that stay at the bottom of the terminal while everything else is written above them. */

import type { Environment, Sink, Size } from "./environment.ts";
import { type ColorChoice, hasColor, type Paint, painter } from "./tone.ts";

/** The lines at the bottom. */
export interface LiveLines {
  /** Size of the terminal as it is now. */
  readonly size: () => Size;
  /**
   * Draws lines in place of those drawn before; they have to fit. Never fails: drawing is not awaited.
   *
   * @param latest What they are later, for when they are not drawn for a while.
   */
  readonly draw: (
    lines: readonly string[],
    latest?: () => readonly string[],
  ) => Promise<void>;
  /** Colours texts of lines that are to be drawn. */
  readonly paint: Paint;
  /** Says when there are colours; `auto` before. */
  readonly color: (choice: ColorChoice) => void;
  /** Leaves what is drawn where it is; what comes later is drawn below it. */
  readonly leave: () => Promise<void>;
  /**
   * Gives the terminal to a question, and types in its lines; what is drawn stays above until then, and what others
   * write waits. Then the question is left, with its answer.
   *
   * @param work Writes to standard error as it is.
   */
  readonly alone: <T>(work: (stderr: Sink) => Promise<T>) => Promise<T>;
}

interface ShownLines {
  readonly lines: readonly string[];
  /** Width of the terminal when they were drawn. */
  readonly columns: number;
}

const nothing: ShownLines = { lines: [], columns: 0 };

/** Size of a terminal that does not tell. */
const usual: Size = { columns: 80, rows: 24 };

/**
 * Makes room for lines at the bottom of the terminal, when standard error is one.
 *
 * Where `TERM` is `dumb`, nothing is drawn at all, full screens included.
 *
 * @param environment Streams; what is written to those that are terminals goes above the lines.
 */
export function withLiveLines(environment: Environment): Environment {
  const { stdout, stderr, env } = environment;
  // A terminal that only writes lines, such as that of an editor, has no screen either.
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

  /** One after the other: what two write at the same time must not mix. */
  function queued<T>(write: () => Promise<T>): Promise<T> {
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
      // Behind half a line there is no room yet.
      torn = bytes.at(-1) !== lineEnd;
      const after = encoder.encode(torn ? "" : change(wanted));
      await sink.write(joined(before, bytes, after));
    }
    return sink.terminal
      ? { ...sink, write: (bytes) => queued(() => write(bytes)) }
      : sink;
  }

  const live: LiveLines = {
    size,
    paint: (text, tone) => paint(text, tone),
    color: (choice) => void (paint = choosePaint(choice)),
    draw(lines, later = () => lines) {
      [wanted, latest] = [lines, later];
      return queued(redraw).catch(() => {});
    },
    leave: () =>
      queued(() => {
        wanted = nothing.lines;
        latest = () => wanted;
        [shown, torn] = [nothing, false];
        return Promise.resolve();
      }),
    alone: (work) =>
      queued(async () => {
        wanted = latest();
        await redraw();
        const drawn = shown;
        [shown, torn] = [nothing, false];
        const asked = heard(stderr);
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

/** What a question is asked on, and the lines that it and its answer fill. */
function heard(
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
 * Takes a drawing away that is above a question and its answer, which stay; the cursor is below them before and after.
 * Returns control sequences; empty when there is nothing to take away, or it has left the screen.
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
 * Writes what turns one drawing into another; the cursor is below the last line before and after.
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
  // Line by line: some terminals keep what is cleared from their very top as if it had scrolled away.
  if (lines.length === 0) return start + "\x1b[K\r\n".repeat(up) + start;
  const drawn = lines.map((line, i) => {
    if (line === kept[i]) return "\r\n";
    // Behind a full line the cursor stays on its last character, and would clear it.
    const isFull = measureWidth(line) >= columns;
    return isFull ? `\x1b[K${line}\r\n` : `${line}\x1b[K\r\n`;
  });
  // Characters may be wider than they count; a line that wraps would move all others.
  return `${start}\x1b[?7l${drawn.join("")}\x1b[J\x1b[?7h`;
}

/** A terminal that has become narrower has wrapped what was on it. */
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

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
