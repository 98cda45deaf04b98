/** One step: its condition, what it does, and how that is written down. */

import type { Json } from "../../operation.ts";
import { instanceKey, type StepResult } from "../journal/history.ts";
import type { Details } from "../journal/record.ts";
import type { Step } from "../runbook.ts";
import { approve } from "./approve.ts";
import { runBlock } from "./block.ts";
import type { Engine } from "./engine.ts";
import { codeOfError, type Failure, Halt, messageOf } from "./failure.ts";
import { runForEach } from "./for_each.ts";
import { type Frame, pathIn } from "./frame.ts";
import { passGate } from "./gate.ts";
import { isVolatile, runModule } from "./run_module.ts";
import { holds, milliseconds, render } from "./scope.ts";
import { runUse } from "./use.ts";

/** How a step ended: what it gave, or why it failed. */
export type StepEnd =
  | { readonly outputs: Readonly<Record<string, Json>> }
  | { readonly failure: Failure };

/**
 * Does a step that has not ended yet.
 *
 * @param engine The run.
 * @param frame Where the walk is; the step's outputs are added.
 * @param step The step.
 * @param later Paths of the steps behind it.
 * @returns Why it failed; `undefined` when it did not, or when it may.
 * @throws {Halt} When the run is to end here, to be resumed.
 */
export async function runStep(
  engine: Engine,
  frame: Frame,
  step: Step,
  later: readonly string[] = [],
): Promise<Failure | undefined> {
  const path = pathIn(frame, step.id);
  const earlier = ended(engine, frame, step, path, later);
  if (earlier !== undefined) {
    frame.outputs.set(step.id, earlier.outputs);
    return undefined;
  }
  if (
    !frame.finishing && !frame.position.carrying && engine.stop.soft.aborted
  ) {
    throw new Halt("stop", `stopped before ${path}`);
  }
  const about = frame.node === undefined
    ? { path }
    : { path, node: frame.node };
  if (!await wanted(engine, frame, step, path)) {
    await record(engine, frame, path, { state: "skipped", message: "when" });
    engine.tell("step.skipped", { ...about, data: { reason: "when" } });
    frame.outputs.set(step.id, {});
    return undefined;
  }
  const begun = engine.clock.now();
  engine.tell("step.start", { ...about, data: { verb: step.verb } });
  const end = await caught(path, () => act(engine, frame, step, path));
  const tookMs = engine.clock.now() - begun;
  if ("outputs" in end) {
    const { outputs } = end;
    const of = step.verb === "run" ? { module: step.module } : {};
    await record(engine, frame, path, { state: "ok", ...of, outputs, tookMs });
    engine.tell("step.done", { ...about, data: { tookMs } });
    frame.outputs.set(step.id, outputs);
    return undefined;
  }
  if (end.failure.code === "cancelled" && engine.stop.soft.aborted) {
    throw new Halt("stop", `stopped before ${path}`);
  }
  const { code, message, step: origin } = end.failure;
  const told = { code, message, step: origin, tookMs };
  await record(engine, frame, path, { state: "failed", ...told });
  engine.tell(code === "in-doubt" ? "step.indoubt" : "step.failed", {
    ...about,
    data: { ...told, continues: step.onFailure === "continue" },
  });
  frame.outputs.set(step.id, {});
  return step.onFailure === "continue" ? undefined : end.failure;
}

async function caught(
  path: string,
  act: () => Promise<StepEnd>,
): Promise<StepEnd> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Halt) throw error;
    const code = codeOfError(error);
    return { failure: { code, step: path, message: messageOf(error) } };
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

/** What an earlier process has made of the step, when that still counts. */
function ended(
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
  // What `rescue` and `always` have done counts for the entry they belong to.
  if (frame.fresh) return result.entry === frame.entry ? result : undefined;
  if (result.entry === frame.entry) return result;
  return lasts(engine, frame, step, later) ? result : undefined;
}

/**
 * Whether the end of a step is remembered over a stop.
 *
 * Once something behind a gate was begun, what the gate looks at is half changed by this very run, and the gates
 * nearer to the work count.
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
      return frame.node === undefined || !isVolatile(engine, step);
    case "approve":
      // Whether an answer has expired is for the step to say.
      return false;
    case "block":
    case "use":
      return frame.node === undefined;
    case "assert":
    case "decide":
    case "sleep":
    case "forEach":
      return true;
  }
}

/** The value of the condition; one that was written down stays. */
async function wanted(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
): Promise<boolean> {
  if (step.when === undefined) return true;
  const { node, entry } = frame;
  const known = engine.history.instances.get(instanceKey(path, node))?.when;
  const counts = known?.entry === entry ||
    !frame.fresh && !isPassing(engine, step);
  if (known !== undefined && counts) return known.value;
  const value = await holds(engine, frame, step.when);
  await engine.journal.append({
    t: "when",
    p: path,
    ...(node === undefined ? {} : { n: node }),
    e: entry,
    d: { value },
  });
  return value;
}

function isPassing(engine: Engine, step: Step): boolean {
  return step.verb === "run" && isVolatile(engine, step);
}

async function record(
  { journal }: Engine,
  { node, entry }: Frame,
  path: string,
  details: Details,
): Promise<void> {
  const n = node === undefined ? {} : { n: node };
  await journal.append({ t: "result", p: path, ...n, e: entry, d: details });
}

async function assertThat(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "assert" }>,
  path: string,
): Promise<StepEnd> {
  if (await holds(engine, frame, step.that)) return { outputs: {} };
  const message = String(await render(engine, frame, step.message));
  return { failure: { code: "refused", step: path, message } };
}

async function decide(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "decide" }>,
  path: string,
): Promise<StepEnd> {
  const known = engine.history.decisions.get(path);
  const value = known ?? await render(engine, frame, step.value);
  if (known === undefined) {
    await engine.journal.append({ t: "decide", p: path, d: { value } });
  }
  engine.decisions.set(step.name, value);
  return { outputs: { value } };
}

async function sleep(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "sleep" }>,
  path: string,
): Promise<StepEnd> {
  const { clock, history, journal, stop } = engine;
  const { node, entry } = frame;
  const known = history.instances.get(instanceKey(path, node))?.until;
  const until = known ??
    clock.now() + await milliseconds(engine, frame, step.duration);
  if (known === undefined) {
    const n = node === undefined ? {} : { n: node };
    await journal.append({ t: "sleep", p: path, ...n, e: entry, d: { until } });
  }
  await clock.sleep(until - clock.now(), stop.soft);
  if (clock.now() < until) throw new Halt("stop", `stopped in ${path}`);
  return { outputs: {} };
}
