/** Full-screen views with periodic updates. */

import { processMasker } from "../lib/masker.ts";
import { CancelledError, UsageError } from "../errors.ts";
import { pause } from "../lib/pause.ts";
import type { Environment, Size } from "./environment.ts";
import { keySplitter } from "./keys.ts";
import {
  type ColorDepth,
  paintedLine,
  type ScreenLine,
} from "./screen_line.ts";

/** A view as a function of its state. */
export interface FullScreen<State> {
  /** State before the first load. */
  readonly initial: State;
  /** Pause between loads in milliseconds. */
  readonly everyMs: number;
  /** Loads an update; an error ends the view. */
  readonly load: (signal: AbortSignal) => Promise<(state: State) => State>;
  /** State after a key, such as `q` or `\x1b[A` for arrow up; `undefined` ends the view. */
  readonly press: (state: State, key: string) => State | undefined;
  /**
   * Work on the normal screen after a key, such as another command; absent, or `undefined`, for none. It returns the
   * state for the view, which the next key brings back.
   */
  readonly outside?: (state: State) => (() => Promise<State>) | undefined;
  /** True if the view is back after such work without a key; default false. */
  readonly returns?: (state: State) => boolean;
  /** Lines from top to bottom; the rest is cut off. */
  readonly draw: (state: State, size: Size) => readonly ScreenLine[];
  /** True to receive the mouse wheel as keys; the terminal then selects text only with Shift. Default false. */
  readonly mouse?: boolean;
}

interface ScreenContext {
  readonly environment: Pick<Environment, "stdout" | "stdin" | "screen">;
  readonly signal: AbortSignal;
  /** Waits between loads; returns early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Colours of the terminal; default none. */
  readonly depth?: ColorDepth;
}

const interrupt = "\x03";

/** Asks for a key after work on the normal screen; and erases the question. */
const backPrompt = "\nPress any key to return ";
const eraseLine = "\r\x1b[2K";

/** Alternate screen without cursor and line wrapping; and back. */
const enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/** Mouse events as keys, in the encoding without column limit; and back. */
const mouseOn = "\x1b[?1000h\x1b[?1006h";
const mouseOff = "\x1b[?1006l\x1b[?1000l";

/** Timeout for the rest of a key after Escape, in milliseconds. */
const escapeMs = 50;

/**
 * Shows a view until a key or the signal ends it, and restores the terminal, also after a crash and while the
 * process is suspended.
 *
 * @throws {UsageError} If there is no terminal.
 * @throws {CancelledError} If the terminal was closed.
 * @throws Errors of `load`.
 */
export async function showFullScreen<State>(
  shown: FullScreen<State>,
  { environment, signal: given, wait = pause, depth = "none" }: ScreenContext,
): Promise<void> {
  const { screen, stdout, stdin } = environment;
  if (screen === undefined) {
    throw new UsageError("Cannot show a full screen: there is no terminal");
  }
  const [begin, end] = shown.mouse
    ? [enter + mouseOn, mouseOff + leave]
    : [enter, leave];
  const stop = new AbortController();
  const signal = AbortSignal.any([given, stop.signal]);
  let state = shown.initial;
  let isHidden = false;
  let isOutside = false;
  let isClosed = false;
  const frames = frameWriter(write, () => {
    if (isHidden || stop.signal.aborted) return undefined;
    const size = screen.size();
    const { mask } = processMasker;
    const lines = shown.draw(state, size).slice(0, size.rows)
      .map((line) => paintedLine(line, { ...size, depth, mask }));
    return { size, lines };
  });
  const { redraw } = frames;

  async function load(): Promise<void> {
    while (!signal.aborted) {
      // Loads must not overlap.
      const change = await shown.load(signal);
      if (signal.aborted) return;
      state = change(state);
      await redraw();
      await wait(shown.everyMs, signal);
    }
  }

  async function listen(keys: ReadableStreamDefaultReader<Uint8Array>) {
    for await (const pressed of readKeys(keys, stop.signal)) {
      if (isOutside) {
        isOutside = false;
        await write(eraseLine);
        await show();
        await redraw();
        continue;
      }
      for (const key of pressed) {
        const after = key === interrupt ? undefined : shown.press(state, key);
        if (after === undefined) return;
        state = after;
        const work = shown.outside?.(state);
        if (work === undefined) continue;
        await leaveFor(work);
        // Keys that were typed ahead were meant for another screen.
        break;
      }
      await redraw();
    }
  }

  /** No read of the terminal is pending now, so that programs can read what is typed. */
  async function leaveFor(work: () => Promise<State>): Promise<void> {
    isOutside = true;
    await hide();
    state = await work();
    if (shown.returns?.(state)) {
      isOutside = false;
      return await show();
    }
    await write(backPrompt);
    // Ctrl-C is a key like any other here.
    screen?.raw(true, "all");
  }

  function write(text: string): Promise<void> {
    return stdout.write(new TextEncoder().encode(text));
  }

  function show(): Promise<void> {
    screen?.raw(true);
    frames.forget();
    isHidden = false;
    return write(begin);
  }

  async function hide(): Promise<void> {
    isHidden = true;
    await frames.settled().catch(() => {});
    screen?.raw(false);
    await write(end);
  }

  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const unlisten = screen.listen?.({
    resized: () => void redraw().catch(() => {}),
    suspended: () => isOutside ? Promise.resolve() : hide().catch(() => {}),
    resumed() {
      if (!isOutside) show().then(redraw).catch(() => {});
    },
    closed() {
      isClosed = true;
      stop.abort();
    },
    restore: end,
  });
  const keys = stdin.readable.getReader();
  try {
    await show();
    await redraw();
    await Promise.race([load(), listen(keys), ended]);
  } finally {
    stop.abort();
    // A pending read of a terminal ends only with the next key.
    keys.cancel().catch(() => {});
    if (isOutside) screen.raw(false);
    else await hide().catch(() => {});
    unlisten?.();
  }
  if (isClosed) throw new CancelledError("SIGTERM");
}

/** Keys in the order they were pressed, those of one read together; an Escape alone after a timeout. */
async function* readKeys(
  keys: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const splitter = keySplitter();
  const decoder = new TextDecoder();
  const late = Symbol();
  let next = keys.read();
  for (;;) {
    const read = splitter.waits()
      ? await Promise.race([next, pause(escapeMs, signal).then(() => late)])
      : await next;
    const pressed = isRead(read)
      ? splitter.take(decoder.decode(read.value, { stream: true }))
      : splitter.flush();
    if (pressed.length > 0) yield pressed;
    if (!isRead(read)) continue;
    if (read.done) return;
    next = keys.read();
  }
}

function isRead<T>(
  value: ReadableStreamReadResult<T> | symbol,
): value is ReadableStreamReadResult<T> {
  return typeof value !== "symbol";
}

interface ScreenFrame {
  readonly size: Size;
  readonly lines: readonly string[];
}

const noFrame: ScreenFrame = { size: { columns: 0, rows: 0 }, lines: [] };

/** Writes frames one after the other; a slow terminal skips to the latest. `draw`: `undefined` while nothing is shown. */
function frameWriter(
  write: (text: string) => Promise<void>,
  draw: () => ScreenFrame | undefined,
) {
  let before = noFrame;
  let isDue = false;
  let drawing: Promise<void> | undefined;

  async function drawAll(): Promise<void> {
    while (isDue) {
      isDue = false;
      const next = draw();
      if (next === undefined) return;
      const text = changes(before, next);
      before = next;
      // Frames must not overlap.
      if (text !== "") await write(text);
    }
  }

  return {
    redraw(): Promise<void> {
      isDue = true;
      return drawing ??= drawAll().finally(() => drawing = undefined);
    },
    /** Writes the next frame as a whole. */
    forget: () => before = noFrame,
    /** Waits for the frame that is being written. */
    settled: () => Promise.resolve(drawing),
  };
}

/**
 * Writes the difference between two frames: the changed lines, or all after a resize. Lines are erased before
 * writing: erasing behind a line of full width would remove its last character.
 */
function changes(before: ScreenFrame, { size, lines }: ScreenFrame): string {
  const isSame = before.size.columns === size.columns &&
    before.size.rows === size.rows;
  if (!isSame) return `\x1b[H\x1b[2J${lines.join("\r\n")}`;
  const count = Math.max(before.lines.length, lines.length);
  const changed: string[] = [];
  for (let i = 0; i < count; i++) {
    const line = lines[i] ?? "";
    if (line === (before.lines[i] ?? "")) continue;
    changed.push(`\x1b[${i + 1};1H\x1b[2K${line}`);
  }
  return changed.join("");
}
