/** Draws lines at the bottom of the terminal again and again, until it is ended. */

import { processMasker } from "../lib/masker.ts";
import { pause } from "../lib/pause.ts";
import type { LiveLines } from "./live_lines.ts";
import type { Size } from "./environment.ts";

/** Lines that are being drawn. */
export interface Drawing {
  /**
   * Draws them once more; they stay where they are.
   *
   * @param isReplaced True when what is written next says all they say: they are taken away. Default false.
   */
  readonly end: (isReplaced?: boolean) => Promise<void>;
}

/** Time between two drawings, in milliseconds. */
const everyMs = 100;

/** Starts to draw. `wait`: waits between two drawings; ends early when the signal aborts. Default: a timer. */
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
      // One drawing after the other on purpose.
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

/** Cuts a text; the last character says so. Secrets are hidden before: half of one is not found any more. */
export function fitted(text: string, columns: number): string {
  const safe = processMasker.mask(text);
  const characters = [...safe];
  if (characters.length <= columns) return safe;
  return `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
