/** Waiting for a human. */

import type { Step } from "../runbook.ts";
import { ask } from "./operator_questions.ts";
import type { Engine } from "./engine.ts";
import type { Frame } from "./frame.ts";
import { milliseconds, render } from "./scope.ts";
import type { StepEnd } from "./failure.ts";

/** How long an answer holds unless the runbook says otherwise, in milliseconds. */
const holdsMs = 24 * 3_600_000;

/** Asks, unless an answer is there that still holds. */
export async function approve(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "approve" }>,
  path: string,
): Promise<StepEnd> {
  const { tag, destructive, timeout, typed } = step;
  const lastsMs = timeout === undefined
    ? holdsMs
    : await milliseconds(engine, frame, timeout);
  await ask(engine, {
    tag,
    path,
    message: String(await render(engine, frame, step.message)),
    destructive,
    ...(typed === undefined
      ? {}
      : { typed: String(await render(engine, frame, typed)) }),
  }, lastsMs);
  return { outputs: {} };
}
