/** Blocks: steps with `rescue` and `always`. */

import type { Json } from "../../../lib/json.ts";
import { type BlockPhase, groupKey, instanceKey } from "../journal/history.ts";
import type { StepOf, Work } from "../runbook.ts";
import type { Engine } from "./engine.ts";
import { Halt, type StepEnd } from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import {
  append,
  enterBlock,
  enterUse,
  type Frame,
  type RunbookScope,
} from "./frame.ts";
import { completeResults, forgetUndone } from "./step_results.ts";
import { changedIn, sentTo } from "./changed_steps.ts";
import { endedTargets, groupByEnd } from "../journal/targets.ts";
import { enterBook } from "./run_values.ts";
import { render } from "./scope.ts";

/**
 * Runs a block; one that was interrupted in its `rescue` or `always` resumes there.
 *
 * A rescue does not turn a failure into a success; it only cleans up.
 */
export async function runBlock(
  engine: Engine,
  frame: Frame,
  work: Work,
): Promise<StepEnd> {
  const inside = enterBlock(frame, frame.path);
  const failure = await runWork(engine, inside, work);
  return failure === undefined
    ? { outputs: Object.fromEntries(inside.outputs) }
    : { failure };
}

/**
 * Runs steps with their `rescue` and `always`, in an existing scope.
 *
 * @throws {Halt} When the run stops here; `always` has run by then.
 */
export async function runWork(
  engine: Engine,
  frame: Frame,
  work: Work,
): Promise<Failure | undefined> {
  const phase = findPhase(engine, frame);
  let failure = phase?.failure;
  let halted = phase?.halted === true
    ? new Halt("again", `${frame.path} was interrupted`)
    : undefined;
  if (phase === undefined) {
    try {
      failure = await engine.runSteps(
        changing(engine, frame, work, "steps"),
        work.steps,
      );
    } catch (error) {
      const isLeft = error instanceof Halt &&
        (error.why === "interrupted" || error.why === "suspended");
      if (!(error instanceof Halt) || isLeft) throw error;
      halted = error;
    }
  }
  // Later steps may refer to any of them, started or not, in this process or an earlier one.
  completeResults(engine, frame, work.steps);
  const isRescued = phase?.name === "always" || phase?.name === "undone";
  if (failure !== undefined && !isRescued) {
    failure = await rescue(engine, frame, work, failure);
  }
  completeResults(engine, frame, work.rescue);
  const last = await always(engine, frame, work, { failure, halted });
  completeResults(engine, frame, work.always);
  if (halted !== undefined) throw halted;
  return failure ?? last;
}

/** The same frame, with the nodes that the block has changed. */
function changing(
  engine: Engine,
  frame: Frame,
  { rescue, always }: Work,
  list: keyof Work,
): Frame {
  // A block inside a rescue undoes the changes of the outer block.
  if (list === "steps" && frame.fresh && frame.changed) return frame;
  const without = list === "always" ? always : [...rescue, ...always];
  const look = () => changedIn(engine, frame, without);
  if (list === "steps") return { ...frame, changed: look };
  // A finished block changes nothing more.
  let found: ReadonlySet<string> | undefined;
  return { ...frame, changed: () => found ??= look() };
}

/** Phase in which an earlier process left the block, if that was in this entry. */
function findPhase(
  { history }: Engine,
  { path, node, entry }: Frame,
): BlockPhase | undefined {
  const known = history.instances.get(instanceKey(path, node))?.phase;
  return known?.entry === entry && known.name !== "left" ? known : undefined;
}

interface WorkEnd {
  readonly failure: Failure | undefined;
  readonly halted?: Halt | undefined;
  /** Nodes that a rescue has changed. */
  readonly nodes?: readonly string[];
  /** Ids of the steps of that rescue. */
  readonly rescue?: readonly string[];
}

async function rescue(
  engine: Engine,
  frame: Frame,
  work: Work,
  failure: Failure,
): Promise<Failure> {
  const { rescue: steps } = work;
  // A step in doubt must not be touched until an operator decides.
  if (steps.length === 0 || failure.code === "in-doubt") return failure;
  await begin(engine, frame, "rescue", { failure });
  const { code, message, step } = failure;
  const id = step.split("/").at(-1) ?? step;
  const inside: Frame = {
    ...changing(engine, frame, work, "rescue"),
    fresh: true,
    finishing: true,
    error: { code, message, step: id },
  };
  const second = await engine.runSteps(inside, steps);
  const nodes = sentTo(engine, frame, steps);
  if (nodes.size === 0) return failure;
  const end: Failure = second === undefined
    ? { ...failure, recovered: true }
    : failure;
  // The rescue has changed these nodes: none of their steps in the block counts as done.
  await begin(engine, frame, "undone", {
    failure: end,
    nodes: [...nodes],
    rescue: steps.map(({ id }) => id),
  });
  forgetUndone(engine, frame, work.steps);
  return end;
}

async function always(
  engine: Engine,
  frame: Frame,
  work: Work,
  end: WorkEnd,
): Promise<Failure | undefined> {
  const { always: steps } = work;
  if (steps.length === 0) return undefined;
  await begin(engine, frame, "always", end);
  const last = await engine.runSteps({
    ...changing(engine, frame, work, "always"),
    fresh: true,
    finishing: true,
  }, steps);
  // Otherwise a resume would take the work for done.
  if (end.halted !== undefined) await begin(engine, frame, "left", end);
  return last;
}

async function begin(
  engine: Engine,
  frame: Frame,
  name: BlockPhase["name"],
  { failure, halted, nodes, rescue }: WorkEnd,
): Promise<void> {
  await append(engine, frame, {
    type: "phase",
    path: frame.path,
    data: {
      name,
      ...failure && { failure: { ...failure } },
      ...halted && { halted: true },
      ...nodes && { nodes },
      ...rescue && { rescue },
    },
  });
}

/** Runs a used runbook, in a scope of its own. */
export async function runUse(
  engine: Engine,
  frame: Frame,
  step: StepOf<"use">,
  path: string,
): Promise<StepEnd> {
  const inputs: Record<string, Json> = {};
  for (const [name, template] of Object.entries(step.with)) {
    inputs[name] = await render(engine, frame, template);
  }
  const book = await enterBook(engine, step.runbook, path, inputs, frame);
  await freezeGroups(engine, book);
  const inside = enterUse(frame, book);
  const end = await runBlock(engine, inside, step.runbook);
  if ("failure" in end) return end;
  const outputs: Record<string, Json> = {};
  const seen: Frame = {
    ...inside,
    outputs: new Map(Object.entries(end.outputs)),
  };
  const targets = endedTargets(engine.runbook, engine.history)
    .filter((target) =>
      target.path.startsWith(`${path}/`) &&
      (frame.node ?? target.node) === target.node
    );
  const result = groupByEnd(targets);
  for (const [name, template] of Object.entries(step.runbook.outputs)) {
    outputs[name] = await render(engine, seen, template, { result });
  }
  return { outputs };
}

/** Records the nodes of the groups of a runbook, once. */
async function freezeGroups(
  { history, groups, journal }: Engine,
  book: RunbookScope,
): Promise<void> {
  for (const name of Object.keys(book.runbook.groups)) {
    const key = groupKey(book, name);
    if (history.groups.has(key)) continue;
    const nodes = [...groups.get(key) ?? []];
    await journal.append({ type: "group", path: key, data: { nodes } });
  }
}
