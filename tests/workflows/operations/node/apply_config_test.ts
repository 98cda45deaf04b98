import assert from "node:assert/strict";
import {
  applyConfig,
  applyConfigOperation,
  type ApplyInput,
  type ApplyKey,
  type ApplyMode,
  reconcileConfiguration,
} from "../../../../workflows/operations/node/apply_config.ts";
import { ConfigError } from "../../../../errors.ts";
import {
  after,
  before,
  foreign,
  hashText,
  makeStage,
  type Stage,
  type StageOptions,
  untilOutcome,
} from "../../configuration/_node.ts";

async function inputFor(mode: ApplyMode): Promise<ApplyInput> {
  return {
    mode,
    tryMs: 1_500,
    confirm: true,
    checks: [],
    wanted: { a: await hashText(after) },
    places: {},
    moving: [],
  };
}

function makeOperation({ aim }: Stage, reboots = false) {
  return applyConfig(
    { findText: () => after, dial: aim.dial, answered() {} },
    reboots,
  );
}

async function makePlan(mode: ApplyMode, node: StageOptions["node"] = {}) {
  const stage = await makeStage({ node });
  const operation = makeOperation(stage);
  const input = await inputFor(mode);
  const seen = await operation.observe(stage.context, input);
  return {
    actions: operation.plan(seen, input).map(({ action }) => action),
    key: operation.key(seen, input),
  };
}

Deno.test("apply-config says in its plan whether the node is disrupted", async () => {
  const stage = await makeStage({ node: {} });
  const input = await inputFor("auto");
  const action = "apply configuration (auto)";
  const seen = await makeOperation(stage).observe(stage.context, input);
  const actions = (reboots: boolean) =>
    makeOperation(stage, reboots).plan(seen, input);
  assert.deepEqual(actions(false), [{ action, gentle: true }]);
  assert.deepEqual(actions(true), [{ action }]);
});

Deno.test("apply-config has something to do while the node runs or keeps another configuration", async () => {
  const there = { active: after, saved: after };
  assert.deepEqual((await makePlan("auto")).actions, [
    "apply configuration (auto)",
  ]);
  assert.deepEqual((await makePlan("auto", there)).actions, []);
  assert.deepEqual((await makePlan("try", there)).actions, []);
  // On trial, and not yet kept.
  assert.equal(
    (await makePlan("auto", { active: after, saved: before })).actions.length,
    1,
  );
  assert.deepEqual(
    (await makePlan("staged", { active: before, saved: after })).actions,
    [],
  );
  // A reboot was asked for.
  assert.equal((await makePlan("reboot", there)).actions.length, 1);
  // Old nodes do not show what they keep.
  assert.equal(
    (await makePlan("auto", { active: after, saved: undefined })).actions
      .length,
    1,
  );
});

Deno.test("the key of apply-config is the hashes of both configurations", async () => {
  const expected: ApplyKey = {
    from: await hashText(before),
    wanted: await hashText(after),
    bootId: null,
    at: 0,
  };
  assert.deepEqual((await makePlan("auto")).key, expected);
});

/** Sends and verifies. */
async function done(mode: ApplyMode, options: StageOptions = {}) {
  const stage = await makeStage(options);
  const operation = makeOperation(stage);
  const input = await inputFor(mode);
  const key = operation.key(
    await operation.observe(stage.context, input),
    input,
  );
  await untilOutcome(operation.apply(stage.context, input, key));
  const { end } = await untilOutcome(
    operation.verify(stage.context, input, key),
  );
  return { end, sent: stage.node.sent };
}

Deno.test("apply-config is done when the configuration is active, kept, or confirmed", async () => {
  assert.deepEqual(await done("no-reboot"), {
    end: { outcome: "done", reason: "the configuration is active" },
    sent: [2],
  });
  assert.deepEqual(await done("staged"), {
    end: { outcome: "done", reason: "takes effect with the next reboot" },
    sent: [3],
  });
  assert.deepEqual(
    await done("try", {
      // A trial is not kept.
      onApply: (node) => {
        if (node.sent.at(-1) === 4) node.saved = before;
      },
    }),
    { end: { outcome: "done", reason: "confirmed (active)" }, sent: [4, 2] },
  );
});

Deno.test("apply-config disturbs a node only when that reboots", async () => {
  const stage = await makeStage();
  const input = await inputFor("auto");
  const [writes, reboots] = [makeOperation(stage), makeOperation(stage, true)];
  assert.deepEqual([writes.effect, writes.quorum(input)], ["write", "none"]);
  assert.deepEqual([reboots.effect, reboots.quorum(input)], [
    "disrupt",
    "leaves-temporarily",
  ]);
});

Deno.test("apply-config that was started by another client is looked into, and not sent", async () => {
  const { context, node } = await makeStage();
  const input = await inputFor("auto");
  const key: ApplyKey = { from: null, wanted: "", bootId: null, at: 0 };
  await assert.rejects(
    untilOutcome(applyConfigOperation.apply(context, input, key)),
    ConfigError,
  );
  assert.deepEqual(node.sent, []);
});

async function reconcile(options: StageOptions, staged = false) {
  const { context, aim, now, node } = await makeStage(options);
  const attempt = { bootId: null, reboots: false, staged };
  const found = await reconcileConfiguration(context, aim, attempt);
  assert.deepEqual([node.sent, node.open], [[], 0]);
  return { found, ms: now() };
}

Deno.test("a configuration that is active was taken", async () => {
  assert.equal((await reconcile({ node: { active: after } })).found, "done");
});

Deno.test("a node that is back later is waited for", async () => {
  const later: StageOptions["later"] = [[5_000, (node) => node.away = false]];
  const { found, ms } = await reconcile({
    node: { active: after, away: true },
    later,
  });
  assert.deepEqual([found, ms], ["done", 5_000]);
});

Deno.test("the old configuration for some seconds means that the new one was not taken", async () => {
  assert.deepEqual(await reconcile({}), { found: "not-started", ms: 3_000 });
  const later: StageOptions["later"] = [[2_000, (node) => node.active = after]];
  assert.equal((await reconcile({ later })).found, "done");
});

Deno.test("reconcileConfiguration: another user's configuration or no answer leaves the result unknown", async () => {
  assert.equal(
    (await reconcile({ node: { active: foreign } })).found,
    "unknown",
  );
  assert.deepEqual(await reconcile({ node: { away: true } }), {
    found: "unknown",
    ms: 30_000,
  });
});

Deno.test("a staged configuration is looked for where it is kept", async () => {
  assert.equal(
    (await reconcile({ node: { saved: after } }, true)).found,
    "done",
  );
  assert.equal(
    (await reconcile({ node: { saved: before } }, true)).found,
    "not-started",
  );
  assert.equal(
    (await reconcile({ node: { saved: undefined } }, true)).found,
    "unknown",
  );
});

Deno.test("where a reboot was to follow, the boot tells", async () => {
  const { context, aim } = await makeStage({
    handlers: {
      async *read() {
        yield await Promise.resolve({ bytes: new TextEncoder().encode("b2") });
      },
      version: () => ({ messages: [{ version: { tag: "v1.12.0" } }] }),
    },
  });
  const attempt = { bootId: "b1", reboots: true, staged: false };
  assert.equal(await reconcileConfiguration(context, aim, attempt), "done");
});
