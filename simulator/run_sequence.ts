/** Runs a sequence and reports every step of it. */

import { logKernel } from "./kernel_log.ts";
import {
  PhaseEvent_Action,
  SequenceEvent_Action,
  TaskEvent_Action,
} from "../transport/gen/machine_events.ts";
import type { SimulatedNode } from "./node.ts";
import type { Sequence } from "./sequences.ts";

/** How a sequence is run. */
export interface SequenceRun {
  /** How long all of it takes, in milliseconds; 0 pauses nowhere. */
  readonly durationMs: number;
  /** Ends the run between two tasks. */
  readonly signal: AbortSignal;
  /** Does what a task is for. */
  readonly onTask: (node: SimulatedNode, task: string) => Promise<void>;
  /** Operation the sequence belongs to, a UUID; default none. */
  readonly actorId?: string;
}

/** Runs the phases of a sequence one after the other, with their events and kernel messages. */
export async function runSequence(
  node: SimulatedNode,
  { name, phases }: Sequence,
  run: SequenceRun,
): Promise<void> {
  const { actorId, signal } = run;
  const pauseMs = run.durationMs / phases.length;
  const { START, STOP } = SequenceEvent_Action;
  node.events.publish(
    "SequenceEvent",
    { sequence: name, action: START },
    actorId,
  );
  logKernel(node, `${name} sequence: ${phases.length} phase(s)`);
  for (const [index, phase] of phases.entries()) {
    const progress = `phase ${phase.name} (${index + 1}/${phases.length})`;
    logKernel(node, `${progress}: ${phase.tasks.length} tasks(s)`);
    await runPhase(node, phase, run);
    if (signal.aborted) return;
    logKernel(node, `${progress}: done, ${pauseMs.toFixed(1)}ms`);
    if (pauseMs > 0) await node.clock.sleep(pauseMs, signal);
    if (signal.aborted) return;
  }
  logKernel(node, `${name} sequence: done: ${run.durationMs}ms`);
  node.events.publish(
    "SequenceEvent",
    { sequence: name, action: STOP },
    actorId,
  );
}

async function runPhase(
  node: SimulatedNode,
  { name, tasks }: Sequence["phases"][number],
  { actorId, onTask }: SequenceRun,
): Promise<void> {
  const { START, STOP } = PhaseEvent_Action;
  node.events.publish("PhaseEvent", { phase: name, action: START }, actorId);
  for (const [index, task] of tasks.entries()) {
    const progress = `task ${task} (${index + 1}/${tasks.length})`;
    node.events.publish(
      "TaskEvent",
      { task, action: TaskEvent_Action.START },
      actorId,
    );
    logKernel(node, `${progress}: starting`);
    // A task may need what the one before it did.
    await onTask(node, task);
    logKernel(node, `${progress}: done, 1ms`);
    node.events.publish(
      "TaskEvent",
      { task, action: TaskEvent_Action.STOP },
      actorId,
    );
  }
  node.events.publish("PhaseEvent", { phase: name, action: STOP }, actorId);
}
