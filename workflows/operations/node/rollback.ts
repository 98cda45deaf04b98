/** Rolls back to the previous installation. */

import { single } from "../../../transport/call/reply.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  Verdict,
} from "../operation.ts";
import {
  observeBoot,
  reconcileBoot,
  refuseDuringSequence,
} from "../boot_key.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import { readNodeSystem } from "../../upgrade/node_system.ts";
import { untilReady } from "../wait_ready.ts";

type RollbackInput = Record<never, never>;

type RollbackKey = {
  /** Boot id at its start; null when the role may not read it. */
  readonly bootId: string | null;
  /** Running version at the start, with `v`. */
  readonly version: string;
  /** Schematic of its image; null if the node does not report it. */
  readonly schematic: string | null;
};

interface RollbackSeen extends MachineState {
  readonly schematic: string | undefined;
}

/** Timeout for the request, in milliseconds. */
const deadlineMs = 30_000;

/** `rollback`. Source: `MachineService.Rollback`. */
export const rollback: Operation<RollbackInput, RollbackSeen, RollbackKey> = {
  name: "rollback",
  effect: "disrupt",
  rolling: true,
  idempotency: "keyed",
  quorum: () => "leaves-temporarily",
  async observe(context) {
    const [state, { schematic }] = await Promise.all([
      observeBoot(context),
      readNodeSystem(context.client),
    ]);
    return { ...state, schematic };
  },
  plan(state) {
    refuseDuringSequence(state);
    return [{ action: `roll back from ${state.version}` }];
  },
  key: ({ bootId, version, schematic }) => ({
    bootId: bootId ?? null,
    version,
    schematic: schematic ?? null,
  }),
  async *apply({ client }) {
    single((await client.machine.rollback({}, { deadlineMs })).messages);
    yield { text: "the node is rebooting into the previous system" };
  },
  reconcile: (context, _, key, attempt) => reconcileBoot(context, key, attempt),
  verify: (context, _, key) => verify(context, key),
};

async function* verify(
  context: NodeContext,
  { bootId, version, schematic }: RollbackKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const waits = { bootId: bootId ?? undefined, reboots: true };
  const verdict = yield* untilReady(context, waits);
  if (verdict.outcome !== "done") return verdict;
  const now = await readNodeSystem(context.client);
  // Both slots may have the same version with different schematics.
  const isSame = now.version === version &&
    (schematic === null || now.schematic === schematic);
  return isSame
    ? {
      outcome: "rolled-back",
      reason: `the node came back with the ${version} it had before`,
    }
    : { outcome: "done", reason: `${verdict.reason}, was ${version}` };
}
