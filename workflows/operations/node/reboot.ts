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
import { untilReady } from "../wait_ready.ts";

type RebootMode = "default" | "powercycle" | "force";

type RebootInput = {
  /** `powercycle` skips kexec, `force` skips stopping services. */
  readonly mode: RebootMode;
};

const modes = {
  default: Mode.DEFAULT,
  powercycle: Mode.POWERCYCLE,
  force: Mode.FORCE,
} as const;

/** `reboot`. Source: `MachineService.Reboot`. */
export const reboot: Operation<RebootInput, MachineState, BootKey> = {
  name: "reboot",
  effect: "disrupt",
  rolling: true,
  idempotency: "keyed",
  quorum: () => "leaves-temporarily",
  observe: observeBoot,
  plan(state, { mode }) {
    // A forced reboot helps a node stuck before its reboot.
    if (mode !== "force" || state.stage !== "rebooting") {
      refuseDuringSequence(state);
    }
    const problem = mode === "force"
      // Older nodes would do an ordinary reboot.
      ? flagProblem("--mode force", 12, state.version)
      : undefined;
    if (problem !== undefined) throw new RefusedError(problem);
    return [{ action: "reboot" }];
  },
  key: ({ bootId }) => ({ bootId: bootId ?? null }),
  async *apply({ client }, { mode }) {
    const { messages } = await client.machine.reboot({ mode: modes[mode] });
    yield { text: `the node is rebooting (actor ${single(messages).actorId})` };
  },
  reconcile: (site, _, key, attempt) => reconcileBoot(site, key, attempt),
  verify: (site, _, { bootId }) =>
    untilReady(site, { bootId: bootId ?? undefined, reboots: true }),
};
