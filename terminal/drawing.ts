/** Redraws lines at the bottom of the terminal until stopped. */

import { processMasker } from "../lib/masker.ts";
import { takeColumns, textWidth } from "./text_width.ts";
import { pause } from "../lib/pause.ts";
import type { LiveLines } from "./live_lines.ts";
import type { Size } from "./environment.ts";

/** Lines at the bottom of the terminal. */
export interface Drawing {
  /**
   * Draws the lines a last time and leaves them on the screen.
   *
   * @param isReplaced True to remove them because the next output replaces them. Default false.
   */
  readonly end: (isReplaced?: boolean) => Promise<void>;
}

/** Interval between drawings, in milliseconds. */
const everyMs = 100;

/** Starts drawing. `wait`: waits between drawings; returns early when the signal aborts. Default: a timer. */
export function drawing(
  { draw, size, leave }: LiveLines,
  lines: (size: Size) => readonly string[],
  wait: (ms: number, signal: AbortSignal) => Promise<void> = pause,
): Drawing {
  const stop = new AbortController();
  const now = () => lines(size());
  const show = () => draw(now(), now);

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      // Drawings must not overlap.
      await show();
      await wait(everyMs, stop.signal);
    }
  }

  const followed = follow();
  return {
    async end(isReplaced = false) {
      stop.abort();
      await followed;
      await (isReplaced ? draw([]) : show());
      await leave();
    },
  };
}

/** Truncates a text with an ellipsis. Mask secrets first: half of one is no longer recognized. */
export function fitText(text: string, columns: number): string {
  const safe = processMasker.mask(text);
  if (textWidth(safe) <= columns) return safe;
  return `${takeColumns(safe, columns - 1)}…`;
}
