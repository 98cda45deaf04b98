/** Modules as steps: input, attempts, intent and outcome. */

import { emitStep, type Frame, type StepCall } from "./frame.ts";
import type { Json } from "../../../lib/json.ts";
import { durationMs } from "./duration.ts";
import {
  collectInitials,
  findIdempotency,
  type Module,
} from "../../modules/module.ts";
import type { Template } from "../../runbook_cel/field.ts";
import type { Retry, StepOf } from "../runbook.ts";
import { attempt } from "./attempt.ts";
import type { Engine } from "./engine.ts";
import { isStopping, stopHalt, stopSignal } from "./stop_signal.ts";
import type { StepEnd } from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import { holds, milliseconds, render } from "./scope.ts";
import type { ErrorCode } from "../../operations/change.ts";

/** Reports whether the effect of a step is temporary. */
export function isVolatile(engine: Engine, step: StepOf<"run">): boolean {
  return engine.module(step.module).volatile ?? false;
}

/** Runs a module until it succeeds, or no attempt is left. */
export async function runModule(
  engine: Engine,
  frame: Frame,
  step: StepOf<"run">,
  path: string,
): Promise<StepEnd> {
  const module = engine.module(step.module);
  const input = await resolveInput(
    module,
    step,
    (template) => render(engine, frame, template),
  );
  const target = formatTarget(frame, module, input);
  const call = { ...frame, path, module, input, target, attempt: 1 };
  const once = () => tries(engine, step, call);
  const end =
    await (step.until === undefined
      ? once()
      : repeat(engine, frame, step, path, once));
  // A failed attempt may have changed something, too.
  if (!isLook(module)) {
    engine.facts.forget(target === "" ? undefined : target);
  }
  if ("failure" in end) {
    frame.stopPoint.isSafe = true;
    return end;
  }
  // The run must not stop between an install and the check after the restart.
  if (module.safeAfter === false) frame.stopPoint.isSafe = false;
  else if (isLook(module)) frame.stopPoint.isSafe = true;
  return target === (frame.node ?? "") ? end : { ...end, target };
}

/** True for modules whose read verifies a change; commands that only read (scope `any`) do not. */
function isLook({ kind, scope }: Module): boolean {
  return kind === "read" && scope !== "any";
}

/**
 * Resolves the input of a module.
 *
 * @param valueIn Evaluates the input of a name; null when it is absent.
 */
export async function resolveInput(
  module: Module,
  step: StepOf<"run">,
  valueIn: (template: Template, name: string) => Promise<Json>,
): Promise<Readonly<Record<string, Json>>> {
  const input = collectInitials(module.input);
  for (const [name, template] of Object.entries(step.with)) {
    const value = await valueIn(template, name);
    // Inputs absent from the runbook are absent for the module.
    if (value !== null) input[name] = value;
  }
  return input;
}

/** Node of a module: its input, or the node of the fan-out; empty for cluster-wide modules. */
export function formatTarget(
  frame: Pick<Frame<unknown>, "node">,
  module: Module,
  input: Readonly<Record<string, Json>>,
): string {
  if (typeof input.node === "string") return input.node;
  return module.scope === "cluster" ? "" : frame.node ?? "";
}

async function tries(
  engine: Engine,
  step: StepOf<"run">,
  call: StepCall,
): Promise<StepEnd> {
  const { path, module } = call;
  const { attempts = 1 } = step.retry ?? {};
  const again = new Set(step.retry?.on ?? module.retryable ?? []);
  let before: ErrorCode | undefined;
  for (let count = 1;; count++) {
    const { timeout = module.timeout } = step;
    const timeoutMs = timeout === undefined
      ? undefined
      : await milliseconds(engine, call, timeout);
    const which = { ...call, attempt: count, before };
    // Attempts are sequential.
    const end = await attempt(engine, which, timeoutMs);
    if ("outputs" in end) return end;
    before = end.failure.code;
    if (count >= attempts || !mayRepeat(end.failure, module, again)) return end;
    const waitMs = backoffMs(step.retry, count, engine.random);
    const { code, message } = end.failure;
    const data = { code, message, waitMs };
    emitStep(engine, call, { type: "step.retry", attempt: count, data });
    await engine.clock.sleep(waitMs, stopSignal(engine, call));
    if (isStopping(engine, call)) throw stopHalt(engine, `in ${path}`);
  }
}

function mayRepeat(
  { code }: Failure,
  module: Module,
  again: ReadonlySet<ErrorCode>,
): boolean {
  // Running it twice does harm, so it is retried only if it demonstrably did not happen.
  if (findIdempotency(module) === "once") {
    return code === "not-started" && again.has(code);
  }
  return again.has(code);
}

/** Time before the next attempt, in milliseconds. `random`: a number from 0 to 1. */
export function backoffMs(
  retry: Retry | undefined,
  count: number,
  random: () => number,
): number {
  if (retry === undefined) return 0;
  const { initial, factor, max, jitter } = retry.backoff;
  const longest = durationMs(max);
  const full = Math.min(longest, durationMs(initial) * factor ** (count - 1));
  return Math.round(jitter === "full" ? full * random() : full);
}

async function repeat(
  engine: Engine,
  frame: Frame,
  { module, until }: StepOf<"run">,
  path: string,
  once: () => Promise<StepEnd>,
): Promise<StepEnd> {
  if (until === undefined) return await once();
  const pollMs = await milliseconds(engine, frame, until.poll);
  const timeoutMs = await milliseconds(engine, frame, until.timeout);
  const end = engine.clock.now() + timeoutMs;
  while (true) {
    // Polls are sequential.
    const seen = await once();
    const result = "outputs" in seen ? seen.outputs : undefined;
    if (
      result !== undefined &&
      await holds(engine, frame, until.condition, { result, module })
    ) {
      return seen;
    }
    if (engine.clock.now() >= end) {
      const last = "failure" in seen
        ? seen.failure.message
        : JSON.stringify(result);
      const message = `"${until.condition}" did not become true: ${last}`;
      return { failure: { code: "gate-timeout", step: path, message } };
    }
    await engine.clock.sleep(pollMs, stopSignal(engine, frame));
    if (isStopping(engine, frame)) throw stopHalt(engine, `in ${path}`);
  }
}
