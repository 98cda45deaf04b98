/** Shows a run while it continues: drawn on a terminal, as plain lines elsewhere. */

import type { RunEvent } from "../event.ts";
import { drawing } from "../../../terminal/drawing.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { paintedParts, progressParts } from "../../../terminal/tone.ts";
import { eventLine, isNotable } from "./event_line.ts";
import type { RunMoment } from "../store/run_condition.ts";
import { inCondition, RunState } from "./run_state.ts";
import { render } from "./run_screen.ts";

/** Where a run is shown. */
export interface ShownRun {
  /** Tells a line on standard error. */
  readonly note: (text: string) => void;
  /** Lines at the bottom of the terminal, and time. */
  readonly environment: Pick<Environment, "live" | "now">;
  /** True when approvals are asked for on this terminal: the question is not drawn as well. Default false. */
  readonly asks?: boolean;
  /** How the run is by its lock and its journal, once its events have ended; default as they say. */
  readonly moment?: () => Promise<RunMoment>;
  /** True when a report follows on this terminal: the rows are not left above it. Default false. */
  readonly reports?: boolean;
  /** Waits between two drawings; ends early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface RunDisplay {
  readonly take: (event: RunEvent) => void;
  /** Shows the last state, which stays. */
  readonly end: () => Promise<void>;
}

/**
 * Shows a run: on a terminal one line for each node until the end, and above them what must not scroll away;
 * elsewhere one line for each event.
 *
 * @param state What is shown; it has each event before the display.
 */
export function runDisplay(
  { note, environment, asks = false, moment, reports = false, wait }: ShownRun,
  state: RunState,
): RunDisplay {
  const { live, now } = environment;
  let known: RunMoment | undefined;

  function print(event: RunEvent): void {
    const isStop = event.type === "run.stopping";
    const awaited = isStop ? state.shown().stopping : undefined;
    const line = eventLine(event, awaited);
    if (line !== undefined) note(line);
  }

  if (live === undefined) {
    return { take: print, end: () => Promise.resolve() };
  }
  const { end } = drawing(
    live,
    (size) => {
      const shown = known === undefined
        ? state.shown()
        : inCondition(state.shown(), known);
      const asked = shown.asked.map((one) => ({ ...one, here: asks }));
      return render({ ...shown, asked }, size, now().getTime())
        .map((line) => paintedParts(progressParts(line), live.paint));
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
 * Shows a run until its events end, whatever ends them.
 *
 * @throws What the events threw.
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
