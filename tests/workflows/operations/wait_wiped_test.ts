import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { Site } from "../../../workflows/operations/operation.ts";
import { untilWiped } from "../../../workflows/operations/wait_wiped.ts";
import { fakeNodes } from "../../_fake.ts";
import { type Glance, siteOf } from "./_site.ts";
import { walked } from "./_walk.ts";

const state = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const away = new RpcError("UNAVAILABLE", "gone");

/** Waits for a node; `bare` is what it answers when asked directly. */
async function wiped(
  glances: readonly Glance[],
  bare: () => unknown = () => Promise.reject(away),
  limitMs = 60_000,
) {
  const { site } = await siteOf(glances, limitMs);
  const past = fakeNodes({ "bare a": { version: bare } }).nodes;
  const cluster: Site["cluster"] = {
    ...site.cluster,
    unconfigured: (node) => past.unconfigured(node),
  };
  return (await walked(untilWiped({ ...site, cluster }, "1"))).verdict;
}

Deno.test("a node that waits for a configuration is wiped", async () => {
  const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });
  assert.deepEqual(await wiped([state, away], version), {
    outcome: "done",
    reason: "waits for a configuration, v1.12.1",
  });
  const secretive = () => Promise.reject(new RpcError("UNIMPLEMENTED", "no"));
  assert.deepEqual(await wiped([state, away], secretive), {
    outcome: "done",
    reason: "waits for a configuration",
  });
});

Deno.test("a node that kept its configuration is wiped when it is ready in another boot", async () => {
  const again = { ...state, bootId: "2" };
  assert.deepEqual(
    await wiped([state, away, { ...again, stage: "booting" }, again]),
    {
      outcome: "done",
      reason: "ready, v1.12.1, with the configuration it kept",
    },
  );
});

Deno.test("a node that answers in neither way never returned", async () => {
  const verdict = await wiped(
    [state, away],
    () => Promise.reject(new ConnectError("timeout", "no answer in time")),
  );
  assert.deepEqual(verdict, {
    outcome: "never-returned",
    reason: "the node does not answer: no answer in time",
  });
});

Deno.test("a node that goes on running, or on wiping, is told as that", async () => {
  const running = await wiped([state], undefined, 600_000);
  assert.deepEqual(running, {
    outcome: "never-rebooted",
    reason: "the node has not rebooted yet (stage running)",
  });
  const slow = await wiped([{ ...state, stage: "resetting" }]);
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
  const { site } = await siteOf([resetting], Infinity, { version });
  const ended = await walked(untilWiped({ ...site, signal: late.signal }, "1"));
  assert.deepEqual(ended.verdict, {
    outcome: "timed-out",
    reason: "the node has not rebooted yet (stage resetting)",
  });
});
