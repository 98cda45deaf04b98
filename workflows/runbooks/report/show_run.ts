/** Display of a running run: drawn on a terminal, plain lines elsewhere. */

import type { RunEvent } from "../event.ts";
import { drawing } from "../../../terminal/drawing.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { paintedParts } from "../../../terminal/tone.ts";
import { eventLine, isNotable } from "./event_line.ts";
import { briefMs, runLog } from "./log_lines.ts";
import type { RunMoment } from "../store/run_condition.ts";
import { inCondition, RunState } from "./run_state.ts";
import { drawRun } from "./run_screen.ts";

/** Options of the display. */
export interface ShownRun {
  /** Prints a line on standard error. */
  readonly note: (text: string) => void;
  /** Live lines at the bottom of the terminal, and time. */
  readonly environment: Pick<Environment, "live" | "now">;
  /** True when this terminal asks for approvals: the question is not drawn as well. Default false. */
  readonly asks?: boolean;
  /** Condition of the run from its lock and journal, after its last event; default from the events. */
  readonly moment?: () => Promise<RunMoment>;
  /** True when a report follows on this terminal: the rows are then removed. Default false. */
  readonly reports?: boolean;
  /** Waits between two drawings; returns early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface RunDisplay {
  readonly take: (event: RunEvent) => void;
  /** Draws the final state, which stays. */
  readonly end: () => Promise<void>;
}

/**
 * Displays a run: on a terminal one live line for each node, with lasting messages above them; elsewhere a log.
 *
 * @param state State to display; it receives each event before the display does.
 */
export function runDisplay(
  { note, environment, asks = false, moment, reports = false, wait }: ShownRun,
  state: RunState,
): RunDisplay {
  const { live, now } = environment;
  let known: RunMoment | undefined;

  function print(event: RunEvent): void {
    const line = eventLine(event, state);
    if (line !== undefined) note(line);
  }

  if (live === undefined) {
    const { take, takeHeld } = runLog(state);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const printAll = (lines: readonly string[]) => lines.forEach(note);
    return {
      take(event) {
        clearTimeout(timer);
        printAll(take(event));
        timer = setTimeout(
          () => printAll(takeHeld(now().getTime())),
          briefMs,
        );
      },
      end() {
        clearTimeout(timer);
        return Promise.resolve();
      },
    };
  }
  const { end } = drawing(
    live,
    (size) => {
      const shown = known === undefined
        ? state.shown()
        : inCondition(state.shown(), known);
      const asked = shown.asked.map((one) => ({ ...one, here: asks }));
      // One row stays free for the cursor.
      const room = { ...size, rows: Math.max(1, size.rows - 1) };
      return drawRun({ ...shown, asked, isHere: asks }, room, now().getTime())
        .map((line) => paintedParts(line, live.paint));
    },
    wait,
  );
  return {
    take(event) {
      if (isNotable(event)) print(event);
    },
    async end() {
      try {
        known = await moment?.();
      } finally {
        await end(reports);
      }
    },
  };
}

/**
 * Displays a run until its events end, for any reason.
 *
 * @throws Errors of the events.
 */
export async function showRun(
  events: AsyncIterable<RunEvent>,
  place: ShownRun,
): Promise<void> {
  const state = new RunState();
  const { take, end } = runDisplay(place, state);
  try {
    for await (const event of events) {
      state.take(event);
      take(event);
    }
  } finally {
    await end();
  }
}
