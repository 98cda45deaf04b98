/** Attempts identified by boot id: every reboot changes it. */

import { poll } from "../../lib/poll.ts";
import { ConnectError, RefusedError, RpcError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type { Attempt, NodeContext, Reconciled } from "./operation.ts";
import { lateMs } from "./poll.ts";
import {
  leaving,
  type MachineState,
  readMachineState,
} from "../../transport/node/machine_state.ts";

/** Identity of an attempt. */
export type BootKey = {
  /** Boot id at its start; null when the role may not read it. */
  readonly bootId: string | null;
};

/** Time a node must run unchanged before it counts as steady, in milliseconds. */
const steadyMs = 10_000;

/** Reads the state of the node before anything is sent. */
export function observeBoot(
  { client }: Pick<NodeContext, "client">,
): Promise<MachineState> {
  return readMachineState(client);
}

/**
 * Refuses while a node is rebooting or installing: it would reject the request, or abort its sequence.
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

/**
 * Finds the outcome of an attempt: another boot means done; a node that is rebooting or unreachable is in progress; one
 * that keeps running has never started, unless it accepted the call or the call may still arrive: it is not sent twice.
 */
export async function reconcileBoot(
  context: NodeContext,
  key: BootKey,
  attempt?: Attempt,
): Promise<Reconciled> {
  return await reconcileStages(context, key, attempt, (found) => {
    if (found === "another boot") return "done";
    // The boot id shows what happened, as soon as it answers.
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

/** Observation of a node: no answer, another boot, or the stage of the same boot. */
type BootLook = "silent" | "another boot" | {
  readonly stage: string;
};

/** Maximum wait for a node that is silent or busy, in milliseconds. */
const patienceMs = 60_000;

/**
 * Polls until an observation decides about an attempt.
 *
 * @param judge `undefined` for undecided. A node that stays silent then leaves it unknown; one that keeps running has
 * never started.
 */
export async function reconcileStages(
  context: NodeContext,
  { bootId }: BootKey,
  attempt: Attempt | undefined,
  judge: (
    found: BootLook,
  ) => Reconciled | undefined | Promise<Reconciled | undefined>,
): Promise<Reconciled> {
  if (attempt?.unsent) return "not-started";
  const { client, clock } = context;
  const startedAt = clock.now();
  const sentAt = Math.min(attempt?.sentAt ?? startedAt, startedAt);
  let steadySince = startedAt;
  for await (const waitedMs of poll(context)) {
    const found = await look(client, bootId);
    const decided = await judge(found);
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
