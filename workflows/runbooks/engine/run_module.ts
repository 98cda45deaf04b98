/** A module as a step: its input, its attempts, its intent and its outcome. */

import type { Frame, StepCall } from "./frame.ts";
import type { Json } from "../../operations/operation.ts";
import { durationMs } from "./duration.ts";
import { idempotencyOf, type Module } from "../module.ts";
import type { ErrorCode, Retry, Step } from "../runbook.ts";
import { attempt } from "./attempt.ts";
import type { Engine } from "./engine.ts";
import { ending, isEnding, stopped } from "./stop_signal.ts";
import type { Failure, StepEnd } from "./failure.ts";
import { holds, milliseconds, render } from "./scope.ts";

/** A step that runs a module. */
export type RunStep = Extract<Step, { readonly verb: "run" }>;

/** Tells whether the effect of a step passes by itself. */
export function isVolatile(engine: Engine, step: RunStep): boolean {
  return engine.module(step.module).volatile;
}

/** Runs a module until it has ended well, or nothing is left to try. */
export async function runModule(
  engine: Engine,
  frame: Frame,
  step: RunStep,
  path: string,
): Promise<StepEnd> {
  const module = engine.module(step.module);
  const input = await inputOf(engine, frame, module, step);
  const target = targetOf(frame, module, input);
  const once = () =>
    tries(engine, frame, step, { path, module, input, target });
  const end =
    await (step.until === undefined
      ? once()
      : repeat(engine, frame, step, path, once));
  // Also what has failed may have changed something.
  if (!isLook(module)) {
    engine.facts.forget(target === "" ? undefined : target);
  }
  if ("failure" in end) {
    frame.position.carrying = false;
    return end;
  }
  // Between an install and the restart, and until it was looked at, there is no stopping.
  if (module.safeAfter === false) frame.position.carrying = true;
  else if (isLook(module)) frame.position.carrying = false;
  return target === (frame.node ?? "") ? end : { ...end, target };
}

/** A command that only reads says nothing of how a change went. */
function isLook({ kind, scope }: Module): boolean {
  return kind === "read" && scope !== "any";
}

async function inputOf(
  engine: Engine,
  frame: Frame,
  module: Module,
  step: RunStep,
): Promise<Readonly<Record<string, Json>>> {
  const input: Record<string, Json> = {};
  for (const [name, field] of Object.entries(module.input)) {
    if (field.initial !== undefined) input[name] = field.initial;
  }
  for (const [name, template] of Object.entries(step.with)) {
    const value = await render(engine, frame, template);
    // What was not given to the runbook is not given to the module either.
    if (value !== null) input[name] = value;
  }
  return input;
}

/** Node a module works on: the one it is given, or that of the fan-out; empty for those of the cluster. */
export function targetOf(
  frame: Pick<Frame, "node">,
  module: Module,
  input: Readonly<Record<string, Json>>,
): string {
  if (typeof input.node === "string") return input.node;
  return module.scope === "cluster" ? "" : frame.node ?? "";
}

async function tries(
  engine: Engine,
  frame: Frame,
  step: RunStep,
  call: StepCall,
): Promise<StepEnd> {
  const { path, module } = call;
  const { attempts = 1 } = step.retry ?? {};
  const again = new Set(step.retry?.on ?? module.retryable);
  let before: ErrorCode | undefined;
  for (let count = 1;; count++) {
    const { timeout = module.timeout } = step;
    const timeoutMs = timeout === undefined
      ? undefined
      : await milliseconds(engine, frame, timeout);
    const which = { count, timeoutMs, before };
    // An attempt follows the one before.
    const end = await attempt(engine, frame, call, which);
    if ("outputs" in end) return end;
    before = end.failure.code;
    if (count >= attempts || !mayRepeat(end.failure, module, again)) return end;
    const waitMs = backoffMs(step.retry, count, engine.random);
    const { code, message } = end.failure;
    engine.tell("step.retry", {
      path,
      ...(frame.node === undefined ? {} : { node: frame.node }),
      attempt: count,
      data: { code, message, waitMs },
    });
    await engine.clock.sleep(waitMs, ending(engine, frame));
    if (isEnding(engine, frame)) throw stopped(engine, `in ${path}`);
  }
}

function mayRepeat(
  { code }: Failure,
  module: Module,
  again: ReadonlySet<ErrorCode>,
): boolean {
  // StepCall it twice does harm, so only what demonstrably did not happen is done again.
  if (idempotencyOf(module) === "once") {
    return code === "not-started" && again.has(code);
  }
  return again.has(code);
}

/**
 * Time before the next attempt, in milliseconds.
 *
 * @param random A number from 0 to 1.
 */
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
  { module, until }: RunStep,
  path: string,
  once: () => Promise<StepEnd>,
): Promise<StepEnd> {
  if (until === undefined) return await once();
  const pollMs = await milliseconds(engine, frame, until.poll);
  const timeoutMs = await milliseconds(engine, frame, until.timeout);
  const end = engine.clock.now() + timeoutMs;
  while (true) {
    // A look follows the one before.
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
    await engine.clock.sleep(pollMs, ending(engine, frame));
    if (isEnding(engine, frame)) throw stopped(engine, `in ${path}`);
  }
}
