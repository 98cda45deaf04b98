/** Attempts known by the boot in which they began: after any reboot it is another one. */

import { poll } from "../../lib/poll.ts";
import { ConnectError, RefusedError, RpcError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type { Attempt, NodeContext, Reconciled } from "./operation.ts";
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

/** Stages on the way to another boot. */
export const leaving: ReadonlySet<string> = new Set([
  "rebooting",
  "upgrading",
  "shutting down",
  "resetting",
]);

/** Looks at the node before anything is sent. */
export function observeBoot(
  { client }: Pick<NodeContext, "client">,
): Promise<MachineState> {
  return readMachineState(client);
}

/**
 * Leaves a node alone that is on its way to another boot, or installs: it would refuse what it is asked for, or break
 * off what it does.
 *
 * @throws {RefusedError} If it is.
 */
export function refuseDuringSequence(
  { stage }: Pick<MachineState, "stage">,
): void {
  if (!leaving.has(stage) && stage !== "installing") return;
  const rule = stage === "resetting" ? " (S17)" : "";
  const now = stage === "resetting" ? "being reset" : stage;
  throw new RefusedError(`The node is ${now}${rule}`, {
    hint: "Wait until it has finished, then try again",
  });
}

/** How long a request that may have been sent can still arrive, in milliseconds. */
const lateMs = 60_000;

/**
 * Finds out what became of an attempt: another boot means done, a node on its
 * way out or out of reach is in the middle of it, and one that runs on
 * steadily has never started, unless it has taken the call, or the call may
 * still arrive: it is not called twice.
 */
export async function reconcileBoot(
  site: NodeContext,
  key: BootKey,
  attempt?: Attempt,
): Promise<Reconciled> {
  return await reconcileStages(site, key, attempt, (found) => {
    if (found === "another boot") return "done";
    // Which boot it runs shows what happened, as soon as it answers.
    if (found === "silent") {
      return attempt?.acknowledged || key.bootId !== null
        ? "in-progress"
        : undefined;
    }
    return leaving.has(found.stage) || found.stage === "booting"
      ? "in-progress"
      : undefined;
  });
}

/** What a look finds: a node that does not answer, one that has booted since, or the stage of the same boot. */
type BootLook = "silent" | "another boot" | {
  readonly stage: string;
};

/** How long a node is waited for that is silent, or at something else, in milliseconds. */
const patienceMs = 60_000;

/**
 * Looks until what is found decides about an attempt.
 *
 * @param judge `undefined` for what does not decide. A node that stays silent then leaves it unknown; one that runs on
 * steadily has never started.
 */
export async function reconcileStages(
  site: NodeContext,
  { bootId }: BootKey,
  attempt: Attempt | undefined,
  judge: (found: BootLook) => Reconciled | undefined,
): Promise<Reconciled> {
  if (attempt?.unsent) return "not-started";
  const { client, clock } = site;
  const startedAt = clock.now();
  const sentAt = Math.min(attempt?.sentAt ?? startedAt, startedAt);
  let steadySince = startedAt;
  for await (const waitedMs of poll(site)) {
    const found = await look(client, bootId);
    const decided = judge(found);
    if (decided !== undefined) return decided;
    const isSteady = typeof found === "object" && !leaving.has(found.stage);
    if (!isSteady) steadySince = clock.now();
    if (isSteady && attempt?.acknowledged && bootId !== null) {
      return "in-progress";
    }
    const mayArrive = clock.now() - sentAt < lateMs;
    if (clock.now() - steadySince >= steadyMs && !mayArrive) {
      return bootId === null ? "unknown" : "not-started";
    }
    if (!isSteady && waitedMs >= patienceMs) return "unknown";
  }
  return "unknown";
}

async function look(
  client: NodeContext["client"],
  bootId: string | null,
): Promise<BootLook> {
  try {
    const state = await readMachineState(client);
    const known = bootId !== null && state.bootId !== undefined;
    return known && state.bootId !== bootId ? "another boot" : state;
  } catch (error) {
    const isRpc = error instanceof RpcError || error instanceof ConnectError;
    if (isRpc && failureKind(error) === "away") return "silent";
    throw error;
  }
}
