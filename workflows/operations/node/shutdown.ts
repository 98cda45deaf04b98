/** Switching a node off. */

import { single } from "../../../transport/call/reply.ts";
import type { Operation } from "../operation.ts";
import {
  type BootKey,
  observeBoot,
  reconcileBoot,
  spareReset,
} from "../boot_key.ts";
import { untilOff } from "../wait_off.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";

/** What is asked for. */
export type ShutdownInput = {
  /** True to skip cordon and drain. */
  readonly force: boolean;
};

/** Longest time for the answer, in milliseconds. */
const deadlineMs = 30_000;

/** `shutdown`. Source: `MachineService.Shutdown`. */
export const shutdown: Operation<ShutdownInput, MachineState, BootKey> = {
  name: "shutdown",
  effect: "disrupt",
  idempotency: "keyed",
  // It has to be switched on by hand.
  guarded: true,
  quorum: () => "leaves-temporarily",
  observe: observeBoot,
  plan(state) {
    spareReset(state);
    return [{ action: "shut down" }];
  },
  key: ({ bootId }) => ({ bootId: bootId ?? null }),
  async *apply({ client }, { force }) {
    const answer = await client.machine.shutdown({ force }, { deadlineMs });
    yield {
      text: `the node is shutting down (actor ${
        single(answer.messages).actorId
      })`,
    };
  },
  reconcile: (site, _, key, attempt) => reconcileBoot(site, key, attempt),
  verify: (site, _, { bootId }) => untilOff(site, bootId ?? undefined),
};
