/** What became of a configuration whose reply was lost. */

import { OsctlError } from "../../errors.ts";
import type { Reconciled, Site } from "../operations/operation.ts";
import { reconcileBoot } from "../operations/boot_key.ts";
import type { DesiredState } from "./desired_state.ts";
import { type ConfigurationState, readConnected } from "./pending_change.ts";

/** Time between two looks, in milliseconds. */
const everyMs = 500;

/** How long a node has to have its old configuration before the new one counts as not taken, in milliseconds. */
const steadyMs = 3_000;

/** How long a node that cannot be reached is waited for, in milliseconds. */
const patienceMs = 30_000;

/** How the configuration was to take effect. */
export interface ApplyAttempt {
  /** Identity of the boot it began in; null when it may not be read. */
  readonly bootId: string | null;
  /** Whether the node was to reboot. */
  readonly reboots: boolean;
  /** Whether it was to be put by for the next boot. */
  readonly staged: boolean;
}

/** Finds out by comparing configurations; nothing is sent. */
export async function reconcileConfiguration(
  site: Site,
  aim: DesiredState,
  attempt: ApplyAttempt,
): Promise<Reconciled> {
  if (attempt.reboots) return await reconcileBoot(site, attempt);
  const { node, clock, signal } = site;
  const begun = clock.now();
  let steadySince: number | undefined;
  while (!signal.aborted && clock.now() - begun < patienceMs) {
    const state = await glance(node, aim);
    const found = state && judge(state, aim, attempt);
    if (found === "done" || found === "unknown") return found;
    steadySince = found === undefined ? undefined : steadySince ?? clock.now();
    if (steadySince !== undefined && clock.now() - steadySince >= steadyMs) {
      return "not-started";
    }
    await clock.sleep(everyMs, signal);
  }
  return "unknown";
}

async function glance(
  node: string,
  aim: DesiredState,
): Promise<ConfigurationState | undefined> {
  try {
    const { state, close } = await readConnected(node, aim);
    close();
    return state;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** Another configuration than both is someone else's. */
function judge(
  { active, saved }: ConfigurationState,
  { from, wanted }: DesiredState,
  { staged }: ApplyAttempt,
): Reconciled {
  if (staged && saved === null) return "unknown";
  const found = staged ? saved : active;
  if (found === wanted) return "done";
  return staged || found === from ? "not-started" : "unknown";
}
