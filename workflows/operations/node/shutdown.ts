import { single } from "../../../transport/call/reply.ts";
import type { Operation } from "../operation.ts";
import {
  type BootKey,
  observeBoot,
  reconcileStages,
  refuseDuringSequence,
} from "../boot_key.ts";
import { untilBegun } from "../wait_begun.ts";
import { untilOff } from "../wait_off.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";

type ShutdownInput = {
  /** True to skip cordon and drain. */
  readonly force: boolean;
};

const stage = "shutting down";

/** Timeout for the request, in milliseconds. */
const deadlineMs = 30_000;

/** `shutdown`. Source: `MachineService.Shutdown`. */
export const shutdown: Operation<ShutdownInput, MachineState, BootKey> = {
  name: "shutdown",
  effect: "disrupt",
  idempotency: "keyed",
  // It must be powered on by hand.
  guarded: true,
  quorum: () => "leaves-temporarily",
  observe: observeBoot,
  plan(state, { force }) {
    // A node stuck before its reboot can be powered off.
    if (!force || state.stage !== "rebooting") refuseDuringSequence(state);
    return [{ action: "shut down" }];
  },
  key: ({ bootId }) => ({ bootId: bootId ?? null }),
  apply: (context, { force }, { bootId }) =>
    untilBegun(context, {
      stage,
      bootId: bootId ?? undefined,
      async ask() {
        const { machine } = context.client;
        const { messages } = await machine.shutdown({ force }, { deadlineMs });
        return single(messages).actorId;
      },
    }),
  reconcile: (context, _, key, attempt) =>
    reconcileStages(context, key, attempt, (found) => {
      if (attempt?.acknowledged) return "in-progress";
      // No answer and another boot may have other reasons.
      if (found === "another boot") return "unknown";
      return found !== "silent" && found.stage === stage
        ? "in-progress"
        : undefined;
    }),
  verify: (context, _, { bootId }) =>
    untilOff(context, { bootId: bootId ?? undefined }),
};
