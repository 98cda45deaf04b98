/** What `health` waits for: one line at the bottom of a terminal, plain lines elsewhere. */

import { formatDuration } from "../config/duration.ts";
import { drawing, fitted } from "../terminal/drawing.ts";
import { cell, type Environment } from "./_kit/mod.ts";

/** Where it is shown. */
export interface HealthPlace {
  /** Tells a line. */
  readonly note: (text: string) => void;
  /** Lines at the bottom of the terminal, and time. */
  readonly environment: Pick<Environment, "live" | "now">;
}

/** Shows what is waited for. */
export interface HealthDisplay {
  /** Takes what is waited for, and what is missing; without a name, something to say. */
  readonly tell: (check: string, missing: string) => void;
  /** Takes the line away. */
  readonly end: () => Promise<void>;
}

/** Turns round while something goes on. */
const marks = ["◰", "◳", "◲", "◱"] as const;

/** Time a mark stays, in milliseconds. */
const markMs = 250;

/**
 * Shows what is waited for, until told to stop.
 *
 * @param place Where it is shown.
 * @param wait Waits between two drawings; ends early when the signal aborts. Default: a timer.
 */
export function healthDisplay(
  { note, environment: { live, now } }: HealthPlace,
  wait?: (ms: number, signal: AbortSignal) => Promise<void>,
): HealthDisplay {
  if (live === undefined) {
    return {
      tell(check, missing) {
        // That it begins is of no use to who reads it later.
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
    const took = formatDuration(Math.floor(ms / 1_000) * 1_000);
    return [
      fitted(`${mark} waiting for ${check} (${took}): ${missing}`, columns),
    ];
  };
  const { end } = drawing(live, lines, wait);
  return {
    tell(next, text) {
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
