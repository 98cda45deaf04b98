import { Code } from "../../transport/gen/common.ts";
import {
  PhaseEvent_Action,
  SequenceEvent_Action,
  TaskEvent_Action,
} from "../../transport/gen/machine_events.ts";
import { logKernel } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { Sequence } from "../release/sequences.ts";

/** Options for running a sequence. */
export interface SequenceRun {
  /** Total duration in milliseconds; 0 for no pauses. */
  readonly durationMs: number;
  /** Stops the run between two phases when another sequence replaces it. */
  readonly replaced: AbortSignal;
  /** Runs a task; a {@linkcode TaskFailure} fails the sequence. */
  readonly onTask: (node: SimulatedNode, task: string) => Promise<void>;
  /** Called at the start of each phase; default not called. */
  readonly onPhase?: (node: SimulatedNode, phase: string) => void;
  /** UUID of the operation the sequence belongs to; default none. */
  readonly actorId?: string;
}

/** Outcome of a sequence. */
export type SequenceEnd =
  | "done"
  /** Power loss. */
  | "cut"
  | "replaced"
  /** A task failed and the node has to reboot. */
  | "failed";

/** Runs the phases of a sequence in order, with their events and kernel messages. */
export async function runSequence(
  node: SimulatedNode,
  sequence: Sequence,
  run: SequenceRun,
): Promise<SequenceEnd> {
  const { name, phases } = sequence;
  const power = node.boot.power.signal;
  report(node, run, { sequence: name, action: SequenceEvent_Action.START });
  logKernel(node, `${name} sequence: ${phases.length} phase(s)`);
  const ending = await runPhases(node, sequence, run);
  // A boot started meanwhile has its own events.
  if (power.aborted) return "cut";
  if (ending === "done") {
    logKernel(node, `${name} sequence: done: ${run.durationMs}ms`);
  } else logKernel(node, `${name} sequence: failed`);
  report(node, run, { sequence: name, action: SequenceEvent_Action.STOP });
  if (ending === "done") return ending;
  const error = ending === "replaced"
    ? { code: Code.CANCELED, message: "sequence failed: context canceled" }
    : { code: Code.FATAL, message: `sequence failed: ${ending.why}` };
  report(node, run, {
    sequence: name,
    action: SequenceEvent_Action.NOOP,
    error,
  });
  if (ending === "replaced") return ending;
  logKernel(node, `fatal sequencer error in "${name}" sequence: ${ending.why}`);
  return "failed";
}

type PhasesEnding = "done" | "replaced" | { readonly why: string };

async function runPhases(
  node: SimulatedNode,
  { name, phases }: Sequence,
  run: SequenceRun,
): Promise<PhasesEnding> {
  const ended = AbortSignal.any([node.boot.power.signal, run.replaced]);
  const pauseMs = run.durationMs / phases.length;
  for (const [index, phase] of phases.entries()) {
    const progress = `phase ${phase.name} (${index + 1}/${phases.length})`;
    logKernel(node, `${progress}: ${phase.tasks.length} tasks(s)`);
    const failure = await runPhase(node, phase, run);
    if (ended.aborted) return "replaced";
    if (failure !== undefined) {
      logKernel(node, `${progress}: failed`);
      const why = `error running phase ${index + 1} in ${name} sequence`;
      return { why: `${why}: ${failure}` };
    }
    logKernel(node, `${progress}: done, ${pauseMs.toFixed(1)}ms`);
    if (pauseMs > 0) await node.clock.sleep(pauseMs, ended);
    if (ended.aborted) return "replaced";
  }
  return "done";
}

/** Runs the tasks of a phase; returns the failure. */
async function runPhase(
  node: SimulatedNode,
  { name, tasks }: Sequence["phases"][number],
  run: SequenceRun,
): Promise<string | undefined> {
  const { START, STOP } = PhaseEvent_Action;
  const { boot: { events } } = node;
  const { actorId } = run;
  events.publish("PhaseEvent", { phase: name, action: START }, actorId);
  run.onPhase?.(node, name);
  let failure: string | undefined;
  for (const [index, task] of tasks.entries()) {
    const number = `${index + 1}/${tasks.length}`;
    // Tasks may depend on previous ones.
    const why = await runTask(node, { task, number }, run);
    if (why === undefined) continue;
    failure = `task ${number}: failed, ${why}`;
    break;
  }
  events.publish("PhaseEvent", { phase: name, action: STOP }, actorId);
  return failure;
}

async function runTask(
  node: SimulatedNode,
  { task, number }: { readonly task: string; readonly number: string },
  { actorId, onTask }: SequenceRun,
): Promise<string | undefined> {
  const { START, STOP } = TaskEvent_Action;
  const { boot: { events } } = node;
  events.publish("TaskEvent", { task, action: START }, actorId);
  logKernel(node, `task ${task} (${number}): starting`);
  const why = await onTask(node, task).then(() => undefined, formatFailure);
  logKernel(
    node,
    `task ${task} (${number}): ${
      why === undefined ? "done, 1ms" : `failed: ${why}`
    }`,
  );
  events.publish("TaskEvent", { task, action: STOP }, actorId);
  return why;
}

function formatFailure(error: unknown): string {
  if (error instanceof TaskFailure) return error.message;
  throw error;
}

function report(
  { boot: { events } }: SimulatedNode,
  { actorId }: SequenceRun,
  event: Parameters<typeof events.publish<"SequenceEvent">>[1],
): void {
  events.publish("SequenceEvent", event, actorId);
}

/** Failure of a task, in the node's words. */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
}
