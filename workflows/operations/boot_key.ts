/** Attempts known by the boot in which they began: after any reboot it is another one. */

import { ConnectError, RefusedError, RpcError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type { Attempt, Reconciled, Site } from "./operation.ts";
import {
  type MachineState,
  readMachineState,
} from "../../transport/node/machine_state.ts";

/** What tells an attempt from others. */
export type BootKey = {
  /** Identity of the boot it began in; null when the role may not read it. */
  readonly bootId: string | null;
};

/** How long a node is watched before it counts as steady, in milliseconds. */
const steadyMs = 10_000;

const everyMs = 500;

/** Stages on the way to another boot. */
export const leaving: ReadonlySet<string> = new Set([
  "rebooting",
  "upgrading",
  "shutting down",
  "resetting",
]);

/** Looks at the node before anything is sent. */
export function observeBoot(
  { client }: Pick<Site, "client">,
): Promise<MachineState> {
  return readMachineState(client);
}

/**
 * Keeps away from a node that is being wiped: another order would end that half-way.
 *
 * @throws {RefusedError} If a reset is under way.
 */
export function spareReset({ stage }: Pick<MachineState, "stage">): void {
  if (stage !== "resetting") return;
  throw new RefusedError("The node is being reset (S17)", {
    hint: "Wait until the reset has finished",
  });
}

/**
 * Finds out what became of an attempt: another boot means done, a node on its
 * way out or out of reach is in the middle of it, and one that runs on
 * steadily has never started, unless it has taken the call: it is not called twice.
 */
export async function reconcileBoot(
  { client, clock, signal }: Site,
  { bootId }: BootKey,
  attempt?: Attempt,
): Promise<Reconciled> {
  const startedAt = clock.now();
  while (!signal.aborted) {
    const found = await judgeNow(client, bootId);
    if (found !== "steady") return found;
    if (attempt?.acknowledged && bootId !== null) return "in-progress";
    if (clock.now() - startedAt >= steadyMs) {
      return bootId === null ? "unknown" : "not-started";
    }
    await clock.sleep(everyMs, signal);
  }
  return "unknown";
}

async function judgeNow(
  client: Site["client"],
  bootId: string | null,
): Promise<Reconciled | "steady"> {
  try {
    const state = await readMachineState(client);
    const known = bootId !== null && state.bootId !== undefined;
    if (known && state.bootId !== bootId) return "done";
    return leaving.has(state.stage) || state.stage === "booting"
      ? "in-progress"
      : "steady";
  } catch (error) {
    const isRpc = error instanceof RpcError || error instanceof ConnectError;
    if (isRpc && failureKind(error) === "away") return "in-progress";
    throw error;
  }
}
