/** How far a log has been seen, in a form that finds the place again. */

import type { Gap } from "./follow.ts";
import { linesAfter } from "./log_overlap.ts";

/** Lines remembered; up to twice as many are kept. */
const remembered = 1_000;

/** What a break did to a log. */
export interface Tear {
  /** True when lines are missing or may be. */
  readonly missing: boolean;
  /** A last line without an end whose rest cannot come any more. */
  readonly cut: string | undefined;
}

/** The place up to which a log was seen. */
export interface LogPlace {
  /** Remembers lines that are passed on. */
  readonly pass: (lines: readonly string[]) => void;
  /** Remembers the text after the last line end. */
  readonly cut: (text: string) => void;
  /** Starts over, since the node has a new log. */
  readonly restart: () => void;
  /**
   * Starts at the end of a log.
   *
   * @param log Its last lines.
   * @param asked How many were asked for; fewer or more mean that these are all.
   */
  readonly end: (log: readonly string[], asked: number) => void;
  /**
   * Goes to the end of the same log.
   *
   * @param log All of it.
   * @returns Lines not seen so far; all when none of those seen is there.
   */
  readonly after: (log: readonly string[]) => readonly string[];
  /** Tells what the last break did; once. */
  readonly tear: (reason: Gap["reason"]) => Tear;
}

/** A place before the first line of a log. */
export function placeInLog(): LogPlace {
  let seen: string[] = [];
  /** Lines before the place in the log, as long as it lost none. */
  let count = 0;
  let cut: string | undefined;
  let missing = false;

  function goTo(log: readonly string[], lines: number): void {
    seen = log.slice(-remembered);
    count = lines;
  }

  return {
    pass(lines) {
      count += lines.length;
      if (lines.length >= remembered) seen = lines.slice(-remembered);
      else seen.push(...lines);
      if (seen.length >= 2 * remembered) seen.splice(0, remembered);
    },
    cut: (text) => cut = text,
    restart: () => goTo([], 0),
    end: (log, asked) =>
      goTo(log, log.length === asked ? Infinity : log.length),
    after(log) {
      const lines = linesAfter(log, seen, count);
      missing ||= lines === undefined;
      // What is still there comes again as a whole line.
      if (lines !== undefined) cut = undefined;
      goTo(log, log.length);
      return lines ?? log;
    },
    tear(reason) {
      const lost = missing || reason === "node rebooted";
      const tear = { missing: lost, cut: lost ? cut : undefined };
      if (lost) cut = undefined;
      missing = false;
      return tear;
    },
  };
}
