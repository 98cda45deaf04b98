import assert from "node:assert/strict";
import { CancelledError, OsctlError } from "../../../../errors.ts";
import {
  type CheckResult,
  lacks,
  skip,
} from "../../../../workflows/checks/check.ts";
import type { HealthCheck } from "../../../../workflows/checks/health/health_context.ts";
import {
  type HealthRow,
  runHealth,
} from "../../../../workflows/checks/health/run_health.ts";
import { healthContext, jumping } from "./_health_context.ts";

/** A condition that finds one thing after the other; the last one stays. */
function condition(
  name: string,
  found: readonly (CheckResult | Error)[],
  limitMs = 300_000,
): HealthCheck {
  let at = 0;
  return {
    name,
    limitMs,
    run() {
      const next = found[Math.min(at++, found.length - 1)];
      return next instanceof Error
        ? Promise.reject(next)
        : Promise.resolve(next!);
    },
  };
}

const ok: CheckResult = { ok: true, seen: "all of them" };

async function run(
  checks: readonly HealthCheck[],
  { timeoutMs = 60_000, clock = jumping(), startedAt = 0 } = {},
) {
  const reported: string[] = [];
  const rows: HealthRow[] = [];
  let failure: unknown;
  try {
    const report = (check: string, text: string) =>
      reported.push(`${check}: ${text}`);
    const wait = { timeoutMs, startedAt, clock, report };
    for await (const row of runHealth(checks, healthContext({}), wait)) {
      rows.push(row);
    }
  } catch (error) {
    failure = error;
  }
  return { rows, reported, failure };
}

Deno.test("conditions are waited for one after the other, and every change is reported once", async () => {
  const { rows, reported, failure } = await run([
    condition("a", [lacks("x"), lacks("x"), new OsctlError("y"), ok]),
    condition("b", [skip("none")]),
  ]);
  assert.equal(failure, undefined);
  assert.deepEqual(rows, [
    { check: "a", state: "ok", reason: "", took: 15 },
    { check: "b", state: "skipped", reason: "none", took: 0 },
  ]);
  assert.deepEqual(reported, ["a: ...", "a: x", "a: y", "b: ..."]);
});

Deno.test("a condition that will not come true is not waited for", async () => {
  const { rows, failure } = await run([
    condition("a", [{
      ok: false,
      reason: "they exited with status 1",
      final: true,
    }]),
  ]);
  assert.deepEqual(rows.map(({ state, took }) => [state, took]), [[
    "failed",
    0,
  ]]);
  assert.ok(failure instanceof OsctlError);
  assert.deepEqual([failure.status, failure.message], [
    1,
    "Failed waiting for a: they exited with status 1",
  ]);
});

Deno.test("programming errors and an interruption end the waiting", async () => {
  const { failure } = await run([condition("a", [new TypeError("a bug")])]);
  assert.ok(failure instanceof TypeError);
  const stop = new AbortController();
  const report = () => stop.abort(new CancelledError());
  const rows = runHealth(
    [condition("a", [lacks("x")])],
    { ...healthContext({}), signal: stop.signal },
    { timeoutMs: 60_000, clock: jumping(), report },
  );
  await assert.rejects(rows.next(), { name: "CancelledError" });
});
