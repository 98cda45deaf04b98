/** Asking an operator, and writing down what was answered. */

import type { Engine } from "./engine.ts";
import { stopped } from "./stop_signal.ts";
import { Halt } from "./failure.ts";
import type { ApprovalRequest } from "./engine_options.ts";

/** How long an answer holds where data is lost, in milliseconds. */
export const destructiveMs = 3_600_000;

/**
 * Asks, unless an answer is there that still holds.
 *
 * @param request What is asked; its path is what the answer is found by.
 * @param lastsMs How long an answer holds, and how long it is waited for.
 * @throws {Halt} When there is nobody to ask, nobody answered, or the answer was no.
 */
export async function ask(
  engine: Engine,
  request: ApprovalRequest,
  lastsMs: number,
): Promise<void> {
  const { clock, history, journal, stop, tell } = engine;
  const { path, tag, destructive } = request;
  const holds = destructive ? Math.min(lastsMs, destructiveMs) : lastsMs;
  const known = history.approvals.get(path);
  if (known?.approved && clock.now() - known.at < holds) return;
  const { message, typed } = request;
  await journal.append({
    t: "approval.requested",
    p: path,
    d: {
      tag,
      message,
      destructive,
      lastsMs: holds,
      ...(typed === undefined ? {} : { typed }),
    },
  });
  tell("approval.requested", {
    path,
    data: { tag, message: request.message, destructive },
  });
  const late = new AbortController();
  const cancel = new AbortController();
  clock.sleep(holds, cancel.signal).then(() => {
    if (!cancel.signal.aborted) late.abort();
  });
  try {
    const signal = AbortSignal.any([stop.soft, late.signal]);
    const answer = stop.soft.aborted
      ? undefined
      : await engine.ask(request, signal);
    if (stop.soft.aborted) throw stopped(engine, `in ${path}`);
    if (answer === undefined && late.signal.aborted) {
      const span = `within ${holds / 60_000} min`;
      throw new Halt("disapproved", `"${tag}" was not answered ${span}`);
    }
    if (answer === undefined) {
      throw new Halt(
        "approval",
        `"${tag}" needs approval: ${request.message}`,
      );
    }
    const { approved, by, how, reason } = answer;
    const why = reason === undefined ? {} : { reason };
    const told = { tag, approved, by, how, ...why };
    await journal.append({
      t: "approval.answered",
      p: path,
      d: { ...told, destructive },
    });
    tell("approval.answered", { path, data: told });
    if (!approved) {
      const text = reason === undefined ? "" : `: ${reason}`;
      throw new Halt("disapproved", `"${tag}" was refused by ${by}${text}`);
    }
    if (destructive) engine.destroyApprovedAt = clock.now();
  } finally {
    cancel.abort();
  }
}
