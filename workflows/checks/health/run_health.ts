/** Waits for a healthy cluster, one condition after the other. */

import { OsctlError, TimeoutError } from "../../../errors.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { type CheckResult, lacks } from "../check.ts";
import type { HealthCheck, HealthContext } from "./health_context.ts";

/** Result of one condition. */
export interface HealthRow {
  readonly check: string;
  /** Result; `waiting` for conditions not reached. */
  readonly state: "ok" | "waiting" | "failed" | "skipped";
  /** Missing condition, or why it was skipped; empty when it holds. */
  readonly reason: string;
  /** Time waited, in seconds. */
  readonly took: number;
}

/** Options of the wait. */
export interface HealthWait {
  /** Total timeout, in milliseconds. */
  readonly timeoutMs: number;
  /** Start of the timeout, in milliseconds since 1970; default the first check. */
  readonly startedAt?: number;
  readonly clock: OperationClock;
  /** Called on every change with the condition and what is missing. */
  readonly report: (check: string, missing: string) => void;
}

/** Interval between checks, in milliseconds. */
const everyMs = 5_000;

/**
 * Waits for conditions.
 *
 * @returns One row for each, including those not reached.
 * @throws {TimeoutError} After the last row, when one of them timed out.
 * @throws {OsctlError} After the last row, when one of them can no longer be met.
 */
export async function* runHealth(
  checks: readonly HealthCheck[],
  context: HealthContext,
  wait: HealthWait,
): AsyncGenerator<HealthRow> {
  const { timeoutMs, startedAt = wait.clock.now() } = wait;
  const until = startedAt + timeoutMs;
  let failed: ConditionEnd | undefined;
  for (const check of checks) {
    if (failed !== undefined) {
      const reason = `not checked, because "${failed.row.check}" failed`;
      yield { check: check.name, state: "waiting", reason, took: 0 };
      continue;
    }
    const ended = await waitFor(check, context, { ...wait, until });
    if (ended.row.state === "failed") failed = ended;
    yield ended.row;
  }
  if (failed === undefined) return;
  const { lateMs, row: { check, reason } } = failed;
  if (lateMs === undefined) {
    throw new OsctlError(`Failed waiting for ${check}: ${reason}`);
  }
  throw new TimeoutError(
    `Timed out after ${toSeconds(lateMs)} s waiting for ${check}: ${reason}`,
  );
}

interface ConditionEnd {
  readonly row: HealthRow;
  /** Exceeded timeout, in milliseconds: that of the condition, or the total. */
  readonly lateMs?: number;
}

async function waitFor(
  check: HealthCheck,
  context: HealthContext,
  { clock, report, until, timeoutMs }: HealthWait & { readonly until: number },
): Promise<ConditionEnd> {
  const startedAt = clock.now();
  const end = Math.min(until, startedAt + check.limitMs);
  const ended = (state: HealthRow["state"], reason: string) => {
    const took = toSeconds(clock.now() - startedAt);
    return { row: { check: check.name, state, reason, took } };
  };
  let missing = "no result yet";
  report(check.name, "...");
  while (true) {
    const found = await within(end, clock, check, context);
    context.signal.throwIfAborted();
    if (found?.ok) {
      return found.skipped ? ended("skipped", found.seen) : ended("ok", "");
    }
    if (found?.final) return ended("failed", found.reason);
    if (found !== undefined && found.reason !== missing) {
      missing = found.reason;
      report(check.name, missing);
    }
    if (clock.now() >= end) {
      const lateMs = end === until ? timeoutMs : check.limitMs;
      return { ...ended("failed", missing), lateMs };
    }
    await clock.sleep(Math.min(everyMs, end - clock.now()), context.signal);
    context.signal.throwIfAborted();
  }
}

function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** Checks once; `undefined` when the time is up. */
async function within(
  end: number,
  clock: OperationClock,
  { run }: HealthCheck,
  context: HealthContext,
): Promise<CheckResult | undefined> {
  const late = new AbortController();
  const signal = AbortSignal.any([context.signal, late.signal]);
  try {
    return await Promise.race([
      finding(() => run({ ...context, signal }), signal),
      clock.sleep(end - clock.now(), signal).then(() => undefined),
    ]);
  } finally {
    late.abort();
  }
}

/** A check that fails to run counts as not yet. */
async function finding(
  run: () => Promise<CheckResult>,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    return await run();
  } catch (error) {
    // Irrelevant after the end.
    if (!(error instanceof OsctlError) && !signal.aborted) throw error;
    return lacks(error instanceof Error ? error.message : String(error));
  }
}
