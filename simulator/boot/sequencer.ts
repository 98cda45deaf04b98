/** Ensures that a node runs one sequence at a time. */

import { Code } from "../../transport/gen/common.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  SequenceEvent_Action,
} from "../../transport/gen/machine_events.ts";
import type { SimulatedNode } from "../state/node.ts";
import {
  runSequence,
  type SequenceEnd,
  type SequenceRun,
} from "./run_sequence.ts";
import {
  inVersion,
  type Sequence,
  type SequenceName,
} from "../release/sequences.ts";
import { findMinor } from "../release/release.ts";
import { setStage } from "../node/stage.ts";

interface SequenceOptions extends Omit<SequenceRun, "replaced" | "onPhase"> {
  /** True to replace any running sequence; default only those that its kind may replace. */
  readonly takesOver?: boolean;
}

/** Runs a sequence unless another one is running. Returns its outcome; `refused` when another one is running. */
export async function startSequence(
  node: SimulatedNode,
  sequence: Sequence,
  run: SequenceOptions,
): Promise<SequenceEnd | "refused"> {
  const { name } = sequence;
  if (node.boot.power.signal.aborted) return "cut";
  const before = node.boot.sequence;
  if (before) {
    if (!run.takesOver && !mayEnd[before.name]?.includes(name)) {
      node.boot.events.publish("SequenceEvent", {
        sequence: name,
        action: SequenceEvent_Action.NOOP,
        error: { code: Code.LOCKED, message: "sequence not started: locked" },
      }, run.actorId);
      return "refused";
    }
    before.replaced.abort();
    await before.ended;
    // Another sequence may have started first, and the node may be off.
    return await startSequence(node, sequence, run);
  }
  return await runExclusively(node, sequence, run);
}

/** Sequences that may replace the running one, by the running one. */
const mayEnd: Readonly<
  Partial<Record<SequenceName, readonly SequenceName[]>>
> = {
  boot: ["reboot", "reset", "upgrade"],
  reboot: ["reboot"],
  reset: ["reboot"],
};

async function runExclusively(
  node: SimulatedNode,
  sequence: Sequence,
  run: SequenceOptions,
): Promise<SequenceEnd> {
  const { boot } = node;
  const replaced = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  boot.sequence = { name: sequence.name, replaced, ended };
  const stage = stages[sequence.name];
  if (stage !== undefined) setStage(node, stage, []);
  try {
    const own = inVersion(sequence, findMinor(node));
    const ending = await runSequence(node, own, {
      ...run,
      replaced: replaced.signal,
      onPhase: (_, phase) => onPhase(node, sequence.name, phase),
    });
    if (ending === "failed" && sequence.name !== "shutdown") {
      setStage(node, Stage.REBOOTING, []);
    }
    return ending;
  } finally {
    boot.sequence = undefined;
    end();
  }
}

/** Stage of the node during a sequence; boots set their own. */
const stages: Readonly<Partial<Record<SequenceName, Stage>>> = {
  reboot: Stage.REBOOTING,
  reset: Stage.RESETTING,
  shutdown: Stage.SHUTTING_DOWN,
  stageUpgrade: Stage.UPGRADING,
  upgrade: Stage.UPGRADING,
};

const installing: ReadonlySet<SequenceName> = new Set([
  "install",
  "stageUpgrade",
  "upgrade",
]);

function onPhase(
  node: SimulatedNode,
  sequence: SequenceName,
  phase: string,
): void {
  if (!installing.has(sequence)) return;
  if (phase === "kexec") setStage(node, Stage.REBOOTING, []);
  if (phase === "install") setStage(node, Stage.INSTALLING, []);
}

/** Aborts on power loss or when another sequence replaces the running one. */
export function endOfTask({ boot }: SimulatedNode): AbortSignal {
  const replaced = boot.sequence?.replaced.signal;
  return AbortSignal.any([boot.power.signal, ...replaced ? [replaced] : []]);
}
