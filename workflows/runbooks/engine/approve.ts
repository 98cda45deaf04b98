/** Waiting for a human. */

import type { Step } from "../runbook.ts";
import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import type { Frame } from "./frame.ts";
import { milliseconds, render } from "./scope.ts";
import type { StepEnd } from "./step.ts";
import type { ApprovalRequest } from "./surroundings.ts";

/** How long an answer holds unless the runbook says otherwise, in milliseconds. */
const holdsMs = 24 * 3_600_000;

/** How long it holds where data is lost. */
const destructiveMs = 3_600_000;

/** Asks, unless an answer is there that still holds. */
export async function approve(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "approve" }>,
  path: string,
): Promise<StepEnd> {
  const { clock, history, journal, stop, tell } = engine;
  const { tag, destructive, timeout, typed } = step;
  const longest = timeout === undefined
    ? holdsMs
    : await milliseconds(engine, frame, timeout);
  const lasts = destructive ? Math.min(longest, destructiveMs) : longest;
  const known = history.approvals.get(path);
  if (known?.approved && clock.now() - known.at < lasts) return { outputs: {} };
  const request: ApprovalRequest = {
    tag,
    path,
    message: String(await render(engine, frame, step.message)),
    destructive,
    ...(typed === undefined
      ? {}
      : { typed: String(await render(engine, frame, typed)) }),
  };
  await journal.append({ t: "approve.asked", p: path, d: { tag } });
  const about = { path, data: { tag, message: request.message, destructive } };
  tell("approve.asked", about);
  const late = new AbortController();
  const cancel = new AbortController();
  clock.sleep(longest, cancel.signal).then(() => late.abort());
  try {
    const signal = AbortSignal.any([stop.soft, late.signal]);
    const answer = await engine.ask(request, signal);
    if (stop.soft.aborted) throw new Halt("stop", `stopped in ${path}`);
    if (answer === undefined) {
      throw new Halt(
        "approval",
        `"${tag}" is to be approved: ${request.message}`,
      );
    }
    const { approved, by, how } = answer;
    await journal.append({
      t: "approve.answered",
      p: path,
      d: { tag, approved, by, how },
    });
    tell("approve.answered", { path, data: { tag, approved, by, how } });
    if (approved) return { outputs: {} };
    throw new Halt("disapproved", `"${tag}" was refused by ${by}`);
  } finally {
    cancel.abort();
  }
}
