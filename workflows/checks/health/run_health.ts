/** Waiting for a healthy cluster, one condition after the other. */

import { OsctlError, TimeoutError } from "../../../errors.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { type CheckResult, lacks } from "../check.ts";
import type { HealthCheck, HealthContext } from "./health_site.ts";

/** How one condition ended. */
export interface HealthRow {
  readonly check: string;
  /** How it ended; `waiting` for those whose turn did not come. */
  readonly state: "ok" | "waiting" | "failed" | "skipped";
  /** What was missing, or why it was skipped; empty when it holds. */
  readonly reason: string;
  /** How long it was waited for, in seconds. */
  readonly took: number;
}

/** How waiting continues. */
export interface HealthWait {
  /** Longest wait for all of it, in milliseconds. */
  readonly timeoutMs: number;
  /** Moment in milliseconds from which that counts; omitted, the first look. */
  readonly startedAt?: number;
  readonly clock: OperationClock;
  /** Called whenever there is something new: what is waited for, and what is missing. */
  readonly report: (check: string, missing: string) => void;
}

/** Time between two looks, in milliseconds. */
const everyMs = 5_000;

/**
 * Waits for conditions.
 *
 * @returns One row for each, also for those whose turn did not come.
 * @throws {TimeoutError} After the last row, when one of them did not come true in time.
 * @throws {OsctlError} After the last row, when one of them will not come true.
 */
export async function* runHealth(
  checks: readonly HealthCheck[],
  site: HealthContext,
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
    const ended = await waitFor(check, site, { ...wait, until });
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
  /** Time it was allowed, in milliseconds, when that was up: its own, or that of all conditions. */
  readonly lateMs?: number;
}

async function waitFor(
  check: HealthCheck,
  site: HealthContext,
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
    const found = await within(end, clock, check, site);
    site.signal.throwIfAborted();
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
    await clock.sleep(Math.min(everyMs, end - clock.now()), site.signal);
    site.signal.throwIfAborted();
  }
}

function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** Looks once; `undefined` when that takes longer than there is time. */
async function within(
  end: number,
  clock: OperationClock,
  { run }: HealthCheck,
  site: HealthContext,
): Promise<CheckResult | undefined> {
  const late = new AbortController();
  const signal = AbortSignal.any([site.signal, late.signal]);
  try {
    return await Promise.race([
      finding(() => run({ ...site, signal }), signal),
      clock.sleep(end - clock.now(), signal).then(() => undefined),
    ]);
  } finally {
    late.abort();
  }
}

/** What cannot be checked is not there yet. */
async function finding(
  run: () => Promise<CheckResult>,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    return await run();
  } catch (error) {
    // After the end it does not matter.
    if (!(error instanceof OsctlError) && !signal.aborted) throw error;
    return lacks(error instanceof Error ? error.message : String(error));
  }
}
