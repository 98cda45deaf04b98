/** Shows something that changes on the whole terminal. */

import { processMasker } from "../config/masker.ts";
import { UsageError } from "../errors.ts";
import { cell } from "./terminal_text.ts";
import type { Environment, Size } from "./environment.ts";
import { pause } from "../transport/pause.ts";

/** What is shown, as a function of a state. */
export interface FullScreen<State> {
  /** State before the first load. */
  readonly initial: State;
  /** Pause between loads in milliseconds. */
  readonly everyMs: number;
  /** Fetches what is new; an error ends the show. */
  readonly load: (signal: AbortSignal) => Promise<(state: State) => State>;
  /** State after a key, such as `q` or `\x1b[A` for an arrow up; `undefined` ends the show. */
  readonly press: (state: State, key: string) => State | undefined;
  /** Lines from top to bottom; what does not fit is cut. */
  readonly draw: (state: State, size: Size) => readonly string[];
}

/** Where it is shown. */
export interface ScreenSite {
  /** Streams and terminal. */
  readonly environment: Pick<Environment, "stdout" | "stdin" | "screen">;
  /** Ends the show. */
  readonly signal: AbortSignal;
  /** Waits between loads; ends early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Ctrl-C, where it arrives as a key. */
const interrupt = "\x03";

/** One key after the other; arrows and the like send several characters. */
// deno-lint-ignore no-control-regex
const eachKey = /\x1b\[[0-9;]*[A-Za-z~]|[^]/gu;

/** To the second screen, without cursor; and back. */
const enter = "\x1b[?1049h\x1b[?25l";
const leave = "\x1b[?25h\x1b[?1049l";

/**
 * Shows a screen until a key or the signal ends it; the terminal is then as before.
 *
 * @throws {UsageError} When there is no terminal.
 * @throws What loading threw.
 */
export async function showFullScreen<State>(
  shown: FullScreen<State>,
  { environment, signal: given, wait = pause }: ScreenSite,
): Promise<void> {
  const { screen, stdout, stdin } = environment;
  if (screen === undefined) {
    throw new UsageError("Cannot show a full screen: there is no terminal");
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([given, stop.signal]);
  let state = shown.initial;

  function redraw(): Promise<void> {
    const size = screen?.size() ?? { columns: 0, rows: 0 };
    const lines = shown.draw(state, size).map(processMasker.mask);
    return write(frame(lines, size));
  }

  async function load(): Promise<void> {
    while (!signal.aborted) {
      // One load after the other on purpose.
      const change = await shown.load(signal);
      if (signal.aborted) return;
      state = change(state);
      await redraw();
      await wait(shown.everyMs, signal);
    }
  }

  async function listen(keys: ReadableStreamDefaultReader<string>) {
    for (;;) {
      const { value, done } = await keys.read();
      if (done) return;
      for (const key of value.match(eachKey) ?? []) {
        const after = key === interrupt ? undefined : shown.press(state, key);
        if (after === undefined) return;
        state = after;
      }
      await redraw();
    }
  }

  function write(text: string): Promise<void> {
    return stdout.write(new TextEncoder().encode(text));
  }

  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const keys = stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
  screen.raw(true);
  try {
    await write(enter);
    await redraw();
    await Promise.race([load(), listen(keys), ended]);
  } finally {
    stop.abort();
    // A terminal gives up a pending read only with the next key.
    keys.cancel().catch(() => {});
    screen.raw(false);
    await write(leave);
  }
}

function frame(
  lines: readonly string[],
  { columns, rows }: Size,
): string {
  const fitting = lines.slice(0, rows).map((line) =>
    `${[...cell(line)].slice(0, columns).join("")}\x1b[K`
  );
  return `\x1b[H${fitting.join("\r\n")}\x1b[J`;
}
