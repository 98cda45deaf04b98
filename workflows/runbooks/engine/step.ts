/** Steps: their conditions, execution, and records. */

import { codeOfError, formatMessage, Halt, type StepEnd } from "./failure.ts";
import { formatDuration } from "../../../lib/duration.ts";
import { instanceKey, type StepResult } from "../journal/history.ts";
import type { Failure, RecordOf } from "../journal/record.ts";
import type { Step, StepOf } from "../runbook.ts";
import { approve } from "./operator_questions.ts";
import { runBlock, runUse } from "./block.ts";
import type { Engine } from "./engine.ts";
import { runForEach } from "./for_each.ts";
import { append, emitStep, type Frame, pathIn } from "./frame.ts";
import { passGate } from "./gate.ts";
import { enterGroups } from "./enter_groups.ts";
import { isStopping, stopHalt, stopSignal } from "./stop_signal.ts";
import { isVolatile, runModule } from "./run_module.ts";
import { holds, milliseconds, render } from "./scope.ts";
import { collectResults } from "./step_results.ts";
import { isRedoneIn } from "../journal/resume_state.ts";

/**
 * Runs a step that has not finished yet.
 *
 * @param frame Frame of the step; its outputs are added.
 * @returns Why it failed; `undefined` when it did not, or with `onFailure: continue`.
 * @throws {Halt} When the run stops here; it can be resumed.
 */
async function runStep(
  engine: Engine,
  frame: Frame,
  step: Step,
  later: readonly string[] = [],
): Promise<Failure | undefined> {
  const path = pathIn(frame, step.id);
  const earlier = findEnded(engine, frame, step, path, later);
  if (earlier !== undefined) {
    restore(engine, frame, step, path);
    return undefined;
  }
  if (engine.stop.hard.aborted || isStopping(engine, frame)) {
    throw stopHalt(engine, `before ${path}`);
  }
  const end = (data: RecordOf<"result">["data"]) =>
    append(engine, frame, { type: "result", path, data });
  const { clock, history } = engine;
  const now = clock.now();
  // Only steps of the runbook have a start in the journal.
  const startedAt = Math.min(now, history.stageStarts.get(path) ?? now);
  // A condition without a value fails only its own step, on its own node.
  const outcome = await caught(path, async () => {
    await enterGroups(engine, frame, step, path);
    if (!await shouldRun(engine, frame, step, path, later)) return "skipped";
    const { verb, title = summarize(engine, step) } = step;
    const data = {
      verb,
      ...title !== undefined && { title },
      ...verb === "run" && {
        module: step.module,
        ...engine.module(step.module).kind === "read" && { reads: true },
      },
      ...startedAt < now && { startedAt: new Date(startedAt).toISOString() },
    };
    emitStep(engine, { ...frame, path }, { type: "step.start", data });
    return await act(engine, frame, step, path);
  });
  if (outcome === "skipped") {
    const { title = summarize(engine, step), when } = step;
    await end({
      state: "skipped",
      message: "when",
      ...title !== undefined && { title },
      ...when !== undefined && { condition: when },
    });
    setResults(engine, frame, step, path);
    return undefined;
  }
  const tookMs = clock.now() - startedAt;
  if ("outputs" in outcome) {
    const { outputs, target, how } = outcome;
    const of = step.verb === "run" &&
      { module: step.module, ...target !== undefined && { target } };
    await end({ state: "ok", ...of, outputs, tookMs, ...how });
    frame.outputs.set(step.id, outputs);
    return undefined;
  }
  if (outcome.failure.code === "cancelled" && engine.stop.soft.aborted) {
    throw stopHalt(engine, `before ${path}`);
  }
  const { code, message, step: origin } = outcome.failure;
  const continues = step.onFailure === "continue";
  const reported = { code, message, step: origin, tookMs, continues };
  await end({ state: "failed", ...reported });
  setResults(engine, frame, step, path);
  return continues ? undefined : outcome.failure;
}

/**
 * Runs steps until one fails.
 *
 * @returns Why it failed; `undefined` when none did.
 * @throws {Halt} When the run stops here; it can be resumed.
 */
export async function runSteps(
  engine: Engine,
  frame: Frame,
  steps: readonly Step[],
): Promise<Failure | undefined> {
  const paths = steps.map(({ id }) => pathIn(frame, id));
  for (const [index, step] of steps.entries()) {
    // Steps are sequential.
    const failure = await runStep(engine, frame, step, paths.slice(index + 1));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Sets the outputs of a step; earlier results count, also when it failed or was skipped now. */
function setResults(
  { history }: Engine,
  { outputs, node }: Frame,
  step: Step,
  path: string,
): void {
  outputs.set(step.id, collectResults(history, step, path, node));
}

async function caught(
  path: string,
  act: () => Promise<StepEnd | "skipped">,
): Promise<StepEnd | "skipped"> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Halt) throw error;
    const code = codeOfError(error);
    return { failure: { code, step: path, message: formatMessage(error) } };
  }
}

function act(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
): Promise<StepEnd> {
  switch (step.verb) {
    case "run":
      return runModule(engine, frame, step, path);
    case "gate":
      return passGate(engine, frame, step, path);
    case "approve":
      return approve(engine, frame, step, path);
    case "assert":
      return assertThat(engine, frame, step, path);
    case "decide":
      return decide(engine, frame, step, path);
    case "sleep":
      return sleep(engine, frame, step, path);
    case "forEach":
      return runForEach(engine, frame, step, path);
    case "block":
      return runBlock(engine, { ...frame, path }, step);
    case "use":
      return runUse(engine, frame, step, path);
  }
}

/** Summary of the module, for a step without a title. */
function summarize(engine: Engine, step: Step): string | undefined {
  return step.verb === "run" ? engine.module(step.module).summary : undefined;
}

/** Restores the result of an earlier process. */
function restore(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
): void {
  const { history, decisions } = engine;
  setResults(engine, frame, step, path);
  const value = history.decisions.get(path);
  if (step.verb === "decide" && value !== undefined) {
    decisions.set(step.name, value);
  }
}

/** Result of an earlier process, if still valid. */
function findEnded(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
  later: readonly string[],
): StepResult | undefined {
  const known = engine.history.instances.get(instanceKey(path, frame.node));
  const { result, decision } = known ?? {};
  if (decision?.verdict === "skip" || decision?.verdict === "done") {
    return result ?? { state: "skipped", entry: frame.entry, outputs: {} };
  }
  if (result === undefined || result.state === "failed") return undefined;
  if (decision?.verdict === "redo") return undefined;
  if (isRedoneIn(engine.redone, path, frame.node)) return undefined;
  // Results of `rescue` and `always` count for the entry they belong to.
  if (frame.fresh) return result.entry === frame.entry ? result : undefined;
  if (result.entry === frame.entry) return result;
  if (isUndone(engine, frame, step, result)) return undefined;
  return lasts(engine, frame, step, later) ? result : undefined;
}

/** True when the install had no effect: the node came back with its previous system. */
function isUndone(
  engine: Engine,
  { since = 1 }: Frame,
  step: Step,
  { entry }: StepResult,
): boolean {
  return entry < since && step.verb === "run" &&
    engine.module(step.module).safeAfter === false;
}

/**
 * Reports whether the result of a step stays valid on resume.
 *
 * Once a step after a gate was started, the run itself has changed what the gate checks, and the gates
 * closer to the change count. The same holds for asserts, and for modules that only read.
 */
function lasts(
  engine: Engine,
  frame: Frame,
  step: Step,
  later: readonly string[],
): boolean {
  switch (step.verb) {
    case "gate":
      return later.some((path) =>
        engine.touched.has(instanceKey(path, frame.node))
      );
    case "run":
      return isLook(engine, step)
        ? isChanged(engine, frame, later)
        : frame.node === undefined || !isVolatile(engine, step);
    case "assert":
      return isChanged(engine, frame, later);
    case "approve":
      // The step itself checks whether an answer has expired.
      return false;
    case "block":
    case "use":
      return frame.node === undefined;
    case "decide":
    case "sleep":
    case "forEach":
      return true;
  }
}

/** True for modules that read current state. */
function isLook(engine: Engine, { module }: StepOf<"run">): boolean {
  const known = engine.module(module);
  return known.kind === "read" && known.looks === true;
}

/** True when later steps have sent changes to nodes. */
function isChanged(
  { changed }: Engine,
  { node }: Frame,
  later: readonly string[],
): boolean {
  return later.some((path) => changed.has(instanceKey(path, node)));
}

/**
 * Evaluates the condition; a recorded value stays.
 *
 * A condition over current facts is evaluated again until a later step has changed nodes: then it would see
 * the changes of this run, such as rebooting nodes.
 */
async function shouldRun(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
  later: readonly string[],
): Promise<boolean> {
  if (step.when === undefined) return true;
  const { node, entry } = frame;
  const known = engine.history.instances.get(instanceKey(path, node))?.when;
  const counts = known?.entry === entry ||
    !frame.fresh &&
      (!isPassing(engine, step) || isChanged(engine, frame, later));
  if (known !== undefined && counts) return known.value;
  const value = await holds(engine, frame, step.when);
  await append(engine, frame, { type: "when", path, data: { value } });
  return value;
}

/** True when the step depends on current facts, so that a resume runs it again. */
function isPassing(engine: Engine, step: Step): boolean {
  return step.verb === "approve" || step.verb === "gate" ||
    step.verb === "run" && isVolatile(engine, step);
}

async function assertThat(
  engine: Engine,
  frame: Frame,
  step: StepOf<"assert">,
  path: string,
): Promise<StepEnd> {
  if (await holds(engine, frame, step.that)) return { outputs: {} };
  const message = String(await render(engine, frame, step.message));
  return { failure: { code: "refused", step: path, message } };
}

async function decide(
  engine: Engine,
  frame: Frame,
  step: StepOf<"decide">,
  path: string,
): Promise<StepEnd> {
  const { history } = engine;
  const key = instanceKey(path, frame.node);
  const isRedone = history.instances.get(key)?.decision?.verdict === "redo";
  const known = isRedone ? undefined : history.decisions.get(path);
  const value = known ?? await render(engine, frame, step.value);
  if (known === undefined) {
    await engine.journal.append({
      type: "decide",
      path,
      data: { value },
    });
  }
  engine.decisions.set(step.name, value);
  return { outputs: { value } };
}

async function sleep(
  engine: Engine,
  frame: Frame,
  step: StepOf<"sleep">,
  path: string,
): Promise<StepEnd> {
  const { clock, history } = engine;
  const known = history.instances.get(instanceKey(path, frame.node))?.until;
  const until = known ??
    clock.now() + await milliseconds(engine, frame, step.duration);
  if (known === undefined) {
    await append(engine, frame, { type: "sleep", path, data: { until } });
  }
  const leftMs = until - clock.now();
  if (leftMs > 0) {
    const reason = `sleeping for ${formatDuration(leftMs)}`;
    const data = { reason, until: new Date(until).toISOString() };
    emitStep(engine, { ...frame, path }, { type: "step.waiting", data });
  }
  await clock.sleep(leftMs, stopSignal(engine, frame));
  if (clock.now() < until) throw stopHalt(engine, `in ${path}`);
  return { outputs: {} };
}
