import assert from "node:assert/strict";
import { ConnectError, RefusedError, RpcError } from "../../../errors.ts";
import {
  observeBoot,
  reconcileBoot,
  refuseDuringSequence,
} from "../../../workflows/operations/boot_key.ts";
import { fakeContext, type Glance } from "./_node_context.ts";

const running = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

async function findAll(bootId: string | null, ...glances: readonly Glance[]) {
  const { context } = await fakeContext(glances, 600_000);
  return await reconcileBoot(context, { bootId });
}

Deno.test("observeBoot looks at the node", async () => {
  const { context } = await fakeContext([running], 1);
  assert.deepEqual(await observeBoot(context), running);
});

Deno.test("another boot means that it happened", async () => {
  assert.equal(await findAll("0", running), "done");
});

Deno.test("a node on its way, or out of reach, is in the middle of it", async () => {
  assert.equal(
    await findAll("1", { ...running, stage: "rebooting" }),
    "in-progress",
  );
  assert.equal(
    await findAll("1", { ...running, stage: "booting" }),
    "in-progress",
  );
  const away = new ConnectError("refused", "Cannot connect");
  assert.equal(await findAll("1", away), "in-progress");
});

Deno.test("a node that steadily runs on has never begun once a request cannot arrive any more", async () => {
  const late = async (sentAt: number | undefined, ...glances: Glance[]) => {
    const { context, elapsedMs } = await fakeContext(glances, 600_000);
    const attempt = { acknowledged: false, steps: [], sentAt };
    const found = await reconcileBoot(context, { bootId: "1" }, attempt);
    return [found, elapsedMs()];
  };
  assert.deepEqual(await late(undefined, running), ["not-started", 60_000]);
  assert.deepEqual(await late(-20_000, running), ["not-started", 40_000]);
  assert.deepEqual(await late(-90_000, running), ["not-started", 10_000]);
  // Clocks of two machines differ.
  assert.deepEqual(await late(90_000, running), ["not-started", 60_000]);
  const reboots = Array(40).fill(running);
  assert.deepEqual(
    await late(0, ...reboots, { ...running, stage: "rebooting" }),
    ["in-progress", 20_000],
  );
});

Deno.test("reconcileBoot: an unsent request has not begun", async () => {
  const away = new ConnectError("refused", "Cannot connect");
  const { context, elapsedMs } = await fakeContext([away], 600_000);
  const attempt = { acknowledged: false, steps: [], unsent: true };
  const found = await reconcileBoot(context, { bootId: "1" }, attempt);
  assert.deepEqual([found, elapsedMs()], ["not-started", 0]);
});

Deno.test("a node that took the call is waited for, and not called again", async () => {
  const taken = async (bootId: string | null, acknowledged: boolean) => {
    const { context } = await fakeContext([running], 600_000);
    return await reconcileBoot(context, { bootId }, {
      acknowledged,
      steps: [],
    });
  };
  assert.equal(await taken("1", true), "in-progress");
  assert.equal(await taken("1", false), "not-started");
  assert.equal(await taken("0", true), "done");
  // A reboot since then cannot be excluded.
  assert.equal(await taken(null, true), "unknown");
});

Deno.test("without the identity of the boot a steady or silent node is in doubt", async () => {
  assert.equal(await findAll(null, running), "unknown");
  const away = new ConnectError("refused", "Cannot connect");
  assert.equal(await findAll(null, away), "unknown");
  const { context } = await fakeContext([away], 600_000);
  const taken = { acknowledged: true, steps: [], sentAt: 0 };
  assert.equal(
    await reconcileBoot(context, { bootId: null }, taken),
    "in-progress",
  );
});

Deno.test("a refusal is not taken for an answer", async () => {
  const refused = new RpcError("PERMISSION_DENIED", "not authorized");
  await assert.rejects(findAll("1", refused), { message: "not authorized" });
});

Deno.test("a node on its way to another boot, or that installs, is left alone", () => {
  const stages = {
    resetting: "The node is being reset (S17)",
    rebooting: "The node is rebooting",
    "shutting down": "The node is shutting down",
    upgrading: "The node is upgrading",
    installing: "The node is installing",
  };
  for (const [stage, message] of Object.entries(stages)) {
    assert.throws(
      () => refuseDuringSequence({ stage }),
      new RefusedError(message, {
        hint: "Wait until it has finished, then try again",
      }),
    );
  }
  refuseDuringSequence({ stage: "running" });
  refuseDuringSequence({ stage: "booting" });
});
