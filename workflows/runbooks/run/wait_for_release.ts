/** Waits until a process has released a run, and reports its progress. */

import { eventsPath, readEvents } from "../store/event_file.ts";
import { isHeld } from "../store/run_lock.ts";
import type { RunSession } from "./run_session.ts";
import { RunState } from "../report/run_state.ts";
import { stoppingText } from "../report/stop_state.ts";

/**
 * Waits, and reports the nodes that the run still waits for on standard error whenever they change.
 *
 * @param since Time of the stop request, in milliseconds since 1970; earlier events are not reported again.
 * @param context Standard error, and the signal that ends the wait.
 * @returns Its last reported progress; `undefined` when the process has released the run.
 */
export async function waitForRelease(
  folder: string,
  since: number,
  { note, signal }: Pick<RunSession, "note" | "signal">,
): Promise<string | undefined> {
  const state = new RunState();
  const goesOn = () => isHeld(folder);
  let reported = "";
  for await (
    const event of readEvents(eventsPath(folder), { goesOn, signal })
  ) {
    state.take(event);
    const { stopping } = state.shown();
    if (stopping === undefined || Date.parse(event.ts) < since) continue;
    const text = stoppingText(stopping);
    if (text !== reported) note(text);
    reported = text;
  }
  if (!await goesOn()) return undefined;
  return reported === "" ? "nothing was reported" : reported;
}
