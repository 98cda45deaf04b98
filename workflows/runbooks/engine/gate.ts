import type { Check, CheckContext, CheckResult } from "../../checks/check.ts";
import { UsageError } from "../../../errors.ts";
import { formatDuration } from "../../../lib/duration.ts";
import type { Json } from "../../../lib/json.ts";
import { collectInitials } from "../../modules/module.ts";
import { instanceKey } from "../journal/history.ts";
import type { GateCheck, StepOf } from "../runbook.ts";
import { checkContext } from "./contexts.ts";
import type { Engine } from "./engine.ts";
import { isStopping, stopHalt, stopSignal } from "./stop_signal.ts";
import { codeOfError, formatMessage, Halt, type StepEnd } from "./failure.ts";
import { append, emitStep, type Frame } from "./frame.ts";
import { holds, milliseconds, render } from "./scope.ts";

/** Shortest and longest poll interval, in milliseconds. */
const [everyMs, rarelyMs] = [2_000, 10_000];

/** Time until the next poll: checks that have failed for minutes are polled less often. */
function pauseMs(waitedMs: number): number {
  return Math.min(rarelyMs, Math.max(everyMs, waitedMs / 15));
}

interface CheckRun {
  readonly check: Check;
  readonly context: CheckContext;
  /** Input as in the runbook. */
  readonly input: Readonly<Record<string, Json>>;
}

/** Waits until a gate passes; fails at its timeout, or at once when waiting cannot help. */
export async function passGate(
  engine: Engine,
  frame: Frame,
  step: StepOf<"gate">,
  path: string,
): Promise<StepEnd> {
  const { clock, stop } = engine;
  const withinMs = await milliseconds(engine, frame, step.within);
  const holdMs = step.holdFor === undefined
    ? 0
    : await milliseconds(engine, frame, step.holdFor);
  const began = clock.now();
  const end = began + withinMs;
  let since: number | undefined;
  let reported = "";
  while (true) {
    // Polls are sequential.
    const looking = await resolveChecks(engine, frame, step.checks);
    const findings = await Promise.all(
      looking.map((one) => runCheck(one, stop.hard)),
    );
    const lacking = findings.flatMap((finding, index) =>
      finding.ok ? [] : [{
        text: `${looking[index]?.check.name}: ${finding.reason}`,
        isFinal: finding.final === true,
      }]
    );
    const refused = lacking.filter(({ isFinal }) => isFinal);
    if (refused.length > 0) {
      const message = refused.map(({ text }) => text).join("; ");
      return { failure: { code: "refused", step: path, message } };
    }
    const missing = lacking.map(({ text }) => text);
    const now = clock.now();
    since = missing.length === 0 ? since ?? now : undefined;
    if (since !== undefined && now - since >= holdMs) {
      await append(engine, frame, { type: "gate", path });
      // The cached facts may predate the change that the gate has waited for.
      engine.facts.forget(frame.node);
      for (const finding of findings) {
        if (!finding.ok || finding.note === undefined) continue;
        engine.emit({ type: "note", data: { message: finding.note } });
      }
      frame.stopPoint.isSafe = true;
      return { outputs: {} };
    }
    // Checks that passed in time may complete their `holdFor` after the timeout.
    if (now >= end && since === undefined) {
      const message = `${missing.join("; ")} (after ${
        formatDuration(withinMs)
      })`;
      return { failure: { code: "gate-timeout", step: path, message } };
    }
    const reason = since === undefined
      ? missing.join("; ")
      : `soaking for ${formatDuration(holdMs)}; checks pass`;
    // A reason is reported when it changes.
    if (reason !== reported) {
      emitStep(engine, { ...frame, path }, {
        type: "step.waiting",
        data: {
          reason,
          ...since !== undefined &&
            { until: new Date(since + holdMs).toISOString() },
        },
      });
    }
    reported = reason;
    const pause = since === undefined
      ? Math.min(pauseMs(now - began), end - now)
      : Math.min(everyMs, since + holdMs - now);
    await clock.sleep(Math.max(1, pause), stopSignal(engine, frame));
    if (isStopping(engine, frame)) throw stopHalt(engine, `in ${path}`);
    if (isSkipped(engine, frame, path)) {
      frame.stopPoint.isSafe = true;
      return { outputs: {} };
    }
  }
}

/** Reports whether an operator has skipped the gate, also during the wait. */
function isSkipped(
  { history }: Engine,
  { node }: Frame,
  path: string,
): boolean {
  const known = history.instances.get(instanceKey(path, node));
  return known?.decision?.verdict === "skip";
}

/** Resolves checks and their inputs from current values. */
async function resolveChecks(
  engine: Engine,
  frame: Frame,
  wanted: readonly GateCheck[],
): Promise<readonly CheckRun[]> {
  const looking: CheckRun[] = [];
  for (const one of wanted) {
    if (one.when !== undefined && !await holds(engine, frame, one.when)) {
      continue;
    }
    const check = engine.checks.get(one.check);
    if (check === undefined) throw new TypeError(`No check "${one.check}"`);
    const input = collectInitials(check.input);
    for (const [name, template] of Object.entries(one.with)) {
      input[name] = await render(engine, frame, template);
    }
    const context = checkContext(engine, frame, input, engine.stop.hard);
    looking.push({ check, input, context });
  }
  return looking;
}

/**
 * Runs a check.
 *
 * @returns Its result; expected errors and interruptions are results too.
 */
export async function runCheck(
  { check, context, input }: CheckRun,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    return await check.run(context, input);
  } catch (error) {
    if (error instanceof Halt) throw error;
    if (signal.aborted) return { ok: false, reason: "interrupted" };
    codeOfError(error);
    const reason = formatMessage(error);
    // The runbook uses the check incorrectly; retrying cannot help.
    return error instanceof UsageError
      ? { ok: false, reason, final: true }
      : { ok: false, reason };
  }
}
