/** Asks an operator, and records the answers. */

import type { Engine } from "./engine.ts";
import { stopHalt, timeLimit } from "./stop_signal.ts";
import { Halt, type StepEnd } from "./failure.ts";
import type { ApprovalRequest } from "./engine_options.ts";
import type { ApprovalHistory } from "../journal/history.ts";
import type { StepOf } from "../runbook.ts";
import type { Frame } from "./frame.ts";
import { milliseconds, render } from "./scope.ts";

/** Validity of an approval of data loss, in milliseconds. */
export const destructiveMs = 3_600_000;

/**
 * Asks, unless an earlier answer is still valid.
 *
 * @param request The question; its path is the key of the answer.
 * @param lastsMs Validity of an answer, and the timeout for it.
 * @throws {Halt} When no operator can be asked, no answer came, or the answer was no.
 */
export async function ask(
  engine: Engine,
  request: ApprovalRequest,
  lastsMs: number,
): Promise<void> {
  const { clock, history, journal, stop } = engine;
  const { path, tag, destructive } = request;
  const holds = destructive ? Math.min(lastsMs, destructiveMs) : lastsMs;
  const known = history.approvals.get(path);
  const isRecent = known?.approved && clock.now() - known.at < holds;
  if (isRecent && isAbout(known, request)) return;
  const { message, typed } = request;
  const asked = typed === undefined ? {} : { typed };
  await journal.append({
    type: "approval.requested",
    path,
    data: { tag, message, destructive, lastsMs: holds, ...asked },
  });
  using late = timeLimit(clock, holds);
  const signal = AbortSignal.any([stop.soft, late.signal]);
  const answer = stop.soft.aborted
    ? undefined
    : await engine.ask(request, signal);
  if (stop.soft.aborted) throw stopHalt(engine, `in ${path}`);
  if (answer === undefined && late.signal.aborted) {
    const span = `within ${holds / 60_000} min`;
    throw new Halt("disapproved", `"${tag}" was not answered ${span}`);
  }
  if (answer === undefined) {
    throw new Halt("approval", `"${tag}" needs approval: ${message}`);
  }
  const { approved, by, how, reason } = answer;
  const why = reason === undefined ? {} : { reason };
  await journal.append({
    type: "approval.answered",
    path,
    data: { tag, approved, by, how, ...why, destructive },
  });
  if (!approved) {
    const text = reason === undefined ? "" : `: ${reason}`;
    throw new Halt("disapproved", `"${tag}" was refused by ${by}${text}`);
  }
  if (destructive) engine.destroyApprovedAt = clock.now();
}

/** True when an answer belongs to this question, so that only approved steps run. */
function isAbout(
  { question, acted, outdated }: ApprovalHistory,
  { message, typed }: ApprovalRequest,
): boolean {
  if (outdated) return false;
  // Changes by the run since then may show in the question.
  if (acted || question === undefined) return true;
  return question.message === message && question.typed === typed;
}

/** Default validity of an answer, in milliseconds. */
const holdsMs = 24 * 3_600_000;

/** Asks, unless an earlier answer is still valid. */
export async function approve(
  engine: Engine,
  frame: Frame,
  step: StepOf<"approve">,
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
