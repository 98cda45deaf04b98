import { RebootRequest_Mode as Mode } from "../../../transport/gen/machine_power.ts";
import { single } from "../../../transport/call/reply.ts";
import { RefusedError } from "../../../errors.ts";
import { flagProblem } from "../../../lib/version.ts";
import type { Operation } from "../operation.ts";
import {
  type BootKey,
  observeBoot,
  reconcileBoot,
  refuseDuringSequence,
} from "../boot_key.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import {
  grantAlways,
  nodeToDrain,
  openAfter,
  whileEmpty,
} from "../upgrade/drain_for_upgrade.ts";
import { untilReady } from "../wait_ready.ts";

type RebootMode = "default" | "powercycle" | "force";

type RebootInput = {
  /** `powercycle` skips kexec, `force` skips stopping services. */
  readonly mode: RebootMode;
  /** Timeout for draining the node first, in milliseconds; 0 and none skip the drain. */
  readonly drainMs?: number;
  /** True to wait for the end, and uncordon the node then. */
  readonly wait?: boolean;
};

interface RebootSeen extends MachineState {
  /** Kubernetes name of the node to drain first; null and none if none. */
  readonly drains?: string | null;
}

type RebootKey = BootKey & {
  /** Kubernetes name of the node to drain first; absent if none. */
  readonly drains?: string;
};

const modes = {
  default: Mode.DEFAULT,
  powercycle: Mode.POWERCYCLE,
  force: Mode.FORCE,
} as const;

/** `reboot`. Source: `MachineService.Reboot`. */
export const reboot: Operation<RebootInput, RebootSeen, RebootKey> = {
  name: "reboot",
  effect: "disrupt",
  rolling: true,
  idempotency: "keyed",
  quorum: () => "leaves-temporarily",
  async observe(context, { drainMs = 0 }) {
    const state = await observeBoot(context);
    return drainMs > 0
      ? { ...state, drains: await nodeToDrain(context) }
      : state;
  },
  plan(state, { mode, wait = true }) {
    // A forced reboot helps a node stuck before its reboot.
    if (mode !== "force" || state.stage !== "rebooting") {
      refuseDuringSequence(state);
    }
    const problem = mode === "force"
      // Older nodes would do an ordinary reboot.
      ? flagProblem("--mode force", 12, state.version)
      : undefined;
    if (problem !== undefined) throw new RefusedError(problem);
    const { drains } = state;
    if (drains && !wait) {
      throw new RefusedError(
        `Without --wait nothing would uncordon ${drains} after the drain`,
        { hint: "Omit --wait=false, or --drain" },
      );
    }
    return [...drains ? [{ action: "drain" }] : [], { action: "reboot" }];
  },
  key: ({ bootId, drains }) => ({
    bootId: bootId ?? null,
    ...drains && { drains },
  }),
  apply(context, input, { drains }) {
    const options = { drainMs: input.drainMs, owner: "reboot" } as const;
    return whileEmpty(context, options, drains, async function* () {
      const { client, renewLeave = grantAlways } = context;
      // A drain takes time, and the state of etcd may have changed.
      const refused = drains ? yield* renewLeave() : undefined;
      if (refused !== undefined) return refused;
      const mode = modes[input.mode];
      const { messages } = await client.machine.reboot({ mode });
      yield {
        text: `the node is rebooting (actor ${single(messages).actorId})`,
      };
    });
  },
  reconcile: (context, _, key, attempt) => reconcileBoot(context, key, attempt),
  async *verify(context, _, { bootId, drains }) {
    const verdict = yield* untilReady(context, {
      bootId: bootId ?? undefined,
      reboots: true,
    });
    return yield* openAfter(context, drains, verdict);
  },
};
