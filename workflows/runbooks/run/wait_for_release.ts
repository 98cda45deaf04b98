/** Waiting until a process has let go of a run, and saying what it still does. */

import { eventsPath, readEvents } from "../store/event_file.ts";
import { isHeld } from "../store/run_lock.ts";
import type { RunSession } from "./run_session.ts";
import { RunState } from "../report/run_state.ts";
import { stoppingText } from "../report/stop_state.ts";

/**
 * Waits; whenever the nodes change that the run still waits for, they are reported on standard error.
 *
 * @param since When the run was asked to stop, in milliseconds since 1970; what it told before is not reported again.
 * @param context Where it is reported, and what ends the wait.
 * @returns What it still waited for; `undefined` when the process has let go.
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
