import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import { untilGone } from "../../../workflows/operations/wait_off.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import { siteOf } from "./_site.ts";

const running: MachineState = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const leaving = { ...running, stage: "shutting down" };

/** Waits for a node whose looks are given one by one; the last one stays. */
async function gone(
  looks: readonly (MachineState | Error)[],
  limitMs = 600_000,
) {
  const { site, elapsedMs } = await siteOf(looks, limitMs);
  const waiting = untilGone(site, "1");
  while (true) {
    const { done, value } = await waiting.next();
    if (done) return { ...value, elapsedMs: elapsedMs() };
  }
}

const away = new RpcError("UNAVAILABLE", "No route to host");
const blind = new ConnectError("refused", "Cannot connect");

Deno.test("a node that stops and stays silent is off", async () => {
  const { outcome, reason } = await gone([running, leaving, away]);
  assert.deepEqual([outcome, reason], [
    "done",
    "the node does not answer any more",
  ]);
});

Deno.test("a node that is silent for a moment only is not off", async () => {
  const { outcome, reason } = await gone([away, running]);
  assert.deepEqual([outcome, reason], [
    "never-rebooted",
    "the node still answers (stage running)",
  ]);
});

Deno.test("silence of all endpoints takes longer, unless the node was seen going", async () => {
  const seen = await gone([leaving, blind]);
  assert.deepEqual([seen.outcome, seen.elapsedMs], ["done", 3_500]);
  const unseen = await gone([running, blind]);
  assert.deepEqual([unseen.outcome, unseen.elapsedMs], ["done", 15_500]);
});

Deno.test("a node in another boot has been off", async () => {
  const { outcome, reason } = await gone([{ ...running, bootId: "2" }]);
  assert.deepEqual([outcome, reason], [
    "done",
    "the node was off, and is in another boot (running)",
  ]);
});

Deno.test("a node that takes its time is waited for until the time is up", async () => {
  const { outcome, reason } = await gone([leaving], 300_000);
  assert.deepEqual([outcome, reason], [
    "timed-out",
    "the node still answers (stage shutting down)",
  ]);
});

Deno.test("a look that the end of the time cuts leaves what was seen before", async () => {
  const late = new AbortController();
  let looks = 0;
  const version = () => {
    if (++looks === 1) return { messages: [{ version: { tag: "v1.12.1" } }] };
    late.abort();
    return Promise.reject(late.signal.reason);
  };
  const { site } = await siteOf([leaving], Infinity, { version });
  const waiting = untilGone({ ...site, signal: late.signal }, "1");
  let ended = await waiting.next();
  while (!ended.done) ended = await waiting.next();
  assert.deepEqual(ended.value, {
    outcome: "timed-out",
    reason: "the node still answers (stage shutting down)",
  });
});
