import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import {
  untilOff,
  untilWiped,
} from "../../../workflows/operations/wait_off.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import { fakeContext, type Glance } from "./_node_context.ts";
import type { NodeContext } from "../../../workflows/operations/operation.ts";
import { fakeNodes } from "../../_fake.ts";
import { runWalk } from "./_run_operation.ts";

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
  const { context, elapsedMs } = await fakeContext(looks, limitMs);
  const waiting = untilOff(context, { bootId: "1" });
  while (true) {
    const { done, value } = await waiting.next();
    if (done) return { ...value, elapsedMs: elapsedMs() };
  }
}

const away = new RpcError("UNAVAILABLE", "No route to host");
const blind = new ConnectError("refused", "Cannot connect");

Deno.test("a node that stops and stays silent is off", async () => {
  const { outcome, reason } = await gone([running, leaving, away]);
  assert.deepEqual([outcome, reason], ["done", "the node no longer answers"]);
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
    "the node shut down and booted again (running)",
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
  const { context } = await fakeContext([leaving], Infinity, { version });
  const waiting = untilOff({ ...context, signal: late.signal }, {
    bootId: "1",
  });
  let ended = await waiting.next();
  while (!ended.done) ended = await waiting.next();
  assert.deepEqual(ended.value, {
    outcome: "timed-out",
    reason: "the node still answers (stage shutting down)",
  });
});

const state = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const awayWaitWiped = new RpcError("UNAVAILABLE", "gone");

/** Waits for a node; `bare` is what it answers when asked directly. */
async function wipe(
  glances: readonly Glance[],
  bare: () => unknown = () => Promise.reject(awayWaitWiped),
  limitMs = 60_000,
  losesConfiguration = false,
) {
  const { context } = await fakeContext(glances, limitMs);
  const past = fakeNodes({ "bare a": { version: bare } }).nodes;
  const cluster: NodeContext["cluster"] = {
    ...context.cluster,
    unconfigured: (node) => past.unconfigured(node),
  };
  return (await runWalk(
    untilWiped({ ...context, cluster }, { bootId: "1", losesConfiguration }),
  )).verdict;
}

Deno.test("a node that waits for a configuration is wiped", async () => {
  const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });
  assert.deepEqual(await wipe([state, awayWaitWiped], version), {
    outcome: "done",
    reason: "is in maintenance mode, v1.12.1",
  });
  const secretive = () => Promise.reject(new RpcError("UNIMPLEMENTED", "no"));
  assert.deepEqual(await wipe([state, awayWaitWiped], secretive), {
    outcome: "done",
    reason: "is in maintenance mode",
  });
});

Deno.test("a node that kept its configuration is wiped when it is ready in another boot", async () => {
  const again = { ...state, bootId: "2" };
  assert.deepEqual(
    await wipe([state, awayWaitWiped, { ...again, stage: "booting" }, again]),
    { outcome: "done", reason: "ready, v1.12.1, with its configuration" },
  );
});

Deno.test("a node that boots with the configuration it should have lost, or broke off, was not wiped", async () => {
  const again = { ...state, bootId: "2" };
  const failed = {
    outcome: "failed",
    reason: "the node has rebooted and was not wiped",
    hint: "See why with: osctl dmesg",
  };
  const away = awayWaitWiped;
  assert.deepEqual(
    await wipe([state, away, again], undefined, 60_000, true),
    failed,
  );
  const broken = { ...state, stage: "rebooting" };
  assert.deepEqual(await wipe([state, broken, away, again]), failed);
  const { context } = await fakeContext([again], 60_000);
  const left = { bootId: "1", losesConfiguration: true };
  assert.deepEqual((await runWalk(untilOff(context, left))).verdict, failed);
});

Deno.test("a node that answers in neither way never returned", async () => {
  const verdict = await wipe(
    [state, awayWaitWiped],
    () => Promise.reject(new ConnectError("timeout", "no answer in time")),
  );
  assert.deepEqual(verdict, {
    outcome: "never-returned",
    reason: "the node does not answer: no answer in time",
  });
});

Deno.test("a node that continues running, or on wiping, is reported as that", async () => {
  const running = await wipe([state], undefined, 600_000);
  assert.deepEqual(running, {
    outcome: "never-rebooted",
    reason: "the node has not rebooted yet (stage running)",
  });
  const slow = await wipe([{ ...state, stage: "resetting" }]);
  assert.deepEqual(slow, {
    outcome: "timed-out",
    reason: "the node has not rebooted yet (stage resetting)",
  });
});

Deno.test("a look that the end of the time cuts leaves what was seen before", async () => {
  const late = new AbortController();
  let looks = 0;
  const version = () => {
    if (++looks === 1) return { messages: [{ version: { tag: "v1.12.1" } }] };
    late.abort();
    return Promise.reject(late.signal.reason);
  };
  const resetting = { ...state, stage: "resetting" };
  const { context } = await fakeContext([resetting], Infinity, { version });
  const ended = await runWalk(
    untilWiped({ ...context, signal: late.signal }, { bootId: "1" }),
  );
  assert.deepEqual(ended.verdict, {
    outcome: "timed-out",
    reason: "the node has not rebooted yet (stage resetting)",
  });
});
