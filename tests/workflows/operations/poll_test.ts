import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { Verdict } from "../../../workflows/operations/operation.ts";
import {
  confirmOutcome,
  inTime,
  isLate,
  type LookResult,
  untilSeen,
} from "../../../workflows/operations/poll.ts";
import { contextWith, runWalk } from "./_run_operation.ts";

const done: Verdict = { outcome: "done", reason: "there" };

async function see(sights: readonly (LookResult | Error)[], limitMs?: number) {
  const { context, elapsedMs } = await contextWith({}, limitMs);
  const rest = [...sights];
  const { steps, verdict } = await runWalk(untilSeen(context, () => {
    const [sight] = rest.length > 1 ? rest.splice(0, 1) : rest;
    return sight instanceof Error || sight === undefined
      ? Promise.reject(sight)
      : Promise.resolve(sight);
  }));
  return { steps, verdict, elapsedMs: elapsedMs() };
}

Deno.test("untilSeen looks every half second and tells each thing that is missing once", async () => {
  const missing = { missing: "not yet" };
  assert.deepEqual(
    await see([missing, missing, { missing: "nearly" }, { verdict: done }]),
    { steps: ["not yet", "nearly"], verdict: done, elapsedMs: 1500 },
  );
});

Deno.test("untilSeen asks a node again that was unavailable", async () => {
  const away = new ConnectError("refused", "Cannot connect");
  const { steps, verdict } = await see([away, { verdict: done }]);
  assert.deepEqual(steps, ["the node does not answer: Cannot connect"]);
  assert.deepEqual(verdict, done);
});

Deno.test("untilSeen says what was missing when the time was up", async () => {
  const { verdict } = await see([{ missing: "not yet" }], 2000);
  assert.deepEqual(verdict, { outcome: "timed-out", reason: "not yet" });
});

Deno.test("untilSeen does not ask again when the answer will be the same", async () => {
  await assert.rejects(
    see([new RpcError("PERMISSION_DENIED", "no")]),
    /no/,
  );
});

Deno.test("untilSeen keeps what was missing when the time is up amid a look", async () => {
  const late = new AbortController();
  const { context } = await contextWith({});
  let looks = 0;
  const { verdict } = await runWalk(
    untilSeen({ ...context, signal: late.signal }, () => {
      if (++looks === 1) return Promise.resolve({ missing: "not yet" });
      late.abort();
      return Promise.reject(late.signal.reason);
    }),
  );
  assert.deepEqual(verdict, { outcome: "timed-out", reason: "not yet" });
});

Deno.test("isLate takes nothing but what the clock raises for the end of the time", () => {
  const { signal } = new AbortController();
  assert.equal(isLate(undefined, signal), false);
  const late = AbortSignal.abort(new Error("late"));
  assert.equal(isLate(late.reason, late), true);
  assert.equal(isLate(new Error("late"), late), false);
});

Deno.test("inTime gives what a look finds, raises what goes wrong, and nothing when it comes too late", async () => {
  const { signal } = new AbortController();
  assert.equal(await inTime(signal, () => Promise.resolve(1)), 1);
  const wrong = new Error("wrong");
  await assert.rejects(inTime(signal, () => Promise.reject(wrong)), wrong);
  const late = AbortSignal.abort(wrong);
  assert.equal(await inTime(late, () => Promise.reject(wrong)), undefined);
});

Deno.test("a lost change counts as not started when nothing has happened for three seconds while the node answers", async () => {
  const away = new ConnectError("refused", "Cannot connect");
  const reconciled = async (sights: readonly (boolean | Error)[]) => {
    const { context, elapsedMs } = await contextWith({});
    const rest = [...sights];
    const found = await confirmOutcome(context, () => {
      const [sight = false] = rest.length > 1 ? rest.splice(0, 1) : rest;
      return sight instanceof Error
        ? Promise.reject(sight)
        : Promise.resolve(sight);
    });
    return [found, elapsedMs()];
  };
  assert.deepEqual(await reconciled([true]), ["done", 0]);
  assert.deepEqual(await reconciled([false]), ["not-started", 3_000]);
  // A node may apply late what it was sent.
  assert.deepEqual(await reconciled([false, false, true]), ["done", 1_000]);
  assert.deepEqual(await reconciled([false, away, false]), [
    "not-started",
    4_000,
  ]);
  assert.deepEqual(await reconciled([away]), ["unknown", 30_000]);
  await assert.rejects(
    reconciled([new RpcError("PERMISSION_DENIED", "no")]),
    /no/,
  );
});
