/** Shows the conditions a command waits for: a live line on a terminal, plain lines elsewhere. */

import { formatDuration } from "../../lib/duration.ts";
import { drawing, fitText } from "../../terminal/drawing.ts";
import { cell } from "../../terminal/terminal_text.ts";
import type { ProgressPlace } from "../../workflows/operations/node_progress.ts";

interface WaitDisplay {
  /** Takes a condition and its unmet part; without a name, a message. */
  readonly report: (check: string, missing: string) => void;
  readonly end: () => Promise<void>;
}

const marks = ["◰", "◳", "◲", "◱"] as const;

/** Duration of a spinner frame, in milliseconds. */
const markMs = 250;

/**
 * Shows the pending condition until closed.
 *
 * @param wait Waits between two frames; returns early if the signal aborts. Default: a timer.
 */
export function waitDisplay(
  { note, environment: { live, now } }: ProgressPlace,
  wait?: (ms: number, signal: AbortSignal) => Promise<void>,
): WaitDisplay {
  if (live === undefined) {
    return {
      report(check, missing) {
        // The start of a check is of no use in a log.
        if (missing === "...") return;
        note(check === "" ? missing : `waiting for ${check}: ${missing}`);
      },
      end: () => Promise.resolve(),
    };
  }
  let [check, missing, since] = ["", "", now().getTime()];
  let ended = false;
  const lines = ({ columns }: { readonly columns: number }) => {
    if (ended || check === "") return [];
    const ms = now().getTime() - since;
    const mark = marks[Math.floor(ms / markMs) % marks.length];
    const seconds = Math.floor(ms / 1_000);
    const took = seconds === 0 ? "" : ` (${formatDuration(seconds * 1_000)})`;
    return [
      fitText(`${mark} waiting for ${check}${took}: ${missing}`, columns),
    ];
  };
  const { end } = drawing(live, lines, wait);
  return {
    report(next, text) {
      if (next === "") return note(text);
      if (next !== check) since = now().getTime();
      [check, missing] = [next, cell(text)];
    },
    end() {
      ended = true;
      return end();
    },
  };
}
