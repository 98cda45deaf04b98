import assert from "node:assert/strict";
import { reconcileConfiguration } from "../../../workflows/configuration/reconcile.ts";
import { after, before, foreign, stageOf, type StageOptions } from "./_node.ts";

async function reconcile(options: StageOptions, staged = false) {
  const { site, aim, now, node } = await stageOf(options);
  const attempt = { bootId: null, reboots: false, staged };
  const found = await reconcileConfiguration(site, aim, attempt);
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

Deno.test("someone else's configuration, and no answer, leave it unknown", async () => {
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
  const { site, aim } = await stageOf({
    handlers: {
      async *read() {
        yield await Promise.resolve({ bytes: new TextEncoder().encode("b2") });
      },
      version: () => ({ messages: [{ version: { tag: "v1.12.0" } }] }),
    },
  });
  const attempt = { bootId: "b1", reboots: true, staged: false };
  assert.equal(await reconcileConfiguration(site, aim, attempt), "done");
});
