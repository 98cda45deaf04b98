import assert from "node:assert/strict";
import { ConnectError, RefusedError, RpcError } from "../../../errors.ts";
import {
  observeBoot,
  reconcileBoot,
  spareReset,
} from "../../../workflows/operations/boot_key.ts";
import { type Glance, siteOf } from "./_site.ts";

const running = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

async function found(bootId: string | null, ...glances: readonly Glance[]) {
  const { site } = await siteOf(glances, 600_000);
  return await reconcileBoot(site, { bootId });
}

Deno.test("observeBoot looks at the node", async () => {
  const { site } = await siteOf([running], 1);
  assert.deepEqual(await observeBoot(site), running);
});

Deno.test("another boot means that it happened", async () => {
  assert.equal(await found("0", running), "done");
});

Deno.test("a node on its way, or out of reach, is in the middle of it", async () => {
  assert.equal(
    await found("1", { ...running, stage: "rebooting" }),
    "in-progress",
  );
  assert.equal(
    await found("1", { ...running, stage: "booting" }),
    "in-progress",
  );
  const away = new ConnectError("refused", "Cannot connect");
  assert.equal(await found("1", away), "in-progress");
});

Deno.test("a node is watched before it counts as one that never began", async () => {
  assert.equal(await found("1", running), "not-started");
  assert.equal(
    await found("1", running, running, { ...running, stage: "rebooting" }),
    "in-progress",
  );
});

Deno.test("a node that took the call is waited for, and not called again", async () => {
  const taken = async (bootId: string | null, acknowledged: boolean) => {
    const { site } = await siteOf([running], 600_000);
    return await reconcileBoot(site, { bootId }, { acknowledged, steps: [] });
  };
  assert.equal(await taken("1", true), "in-progress");
  assert.equal(await taken("1", false), "not-started");
  assert.equal(await taken("0", true), "done");
  // Whether it has rebooted since cannot be known.
  assert.equal(await taken(null, true), "unknown");
});

Deno.test("without the identity of the boot a steady node is in doubt", async () => {
  assert.equal(await found(null, running), "unknown");
});

Deno.test("a refusal is not taken for an answer", async () => {
  const refused = new RpcError("PERMISSION_DENIED", "not authorized");
  await assert.rejects(found("1", refused), { message: "not authorized" });
});

Deno.test("a node that is being wiped is left alone", () => {
  assert.throws(() => spareReset({ stage: "resetting" }), RefusedError);
  spareReset({ stage: "rebooting" });
});
