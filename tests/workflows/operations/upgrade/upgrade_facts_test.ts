import assert from "node:assert/strict";
import { RefusedError } from "../../../../errors.ts";
import {
  checkUpgrade,
  isUpgraded,
  observeUpgrade,
  type UpgradeInput,
  upgradeKey,
} from "../../../../workflows/operations/upgrade/upgrade_facts.ts";
import { upgradable } from "../_upgrades.ts";
import { contextWith } from "../_run_operation.ts";

const input: UpgradeInput = {
  image: null,
  to: "v1.13.1",
  stage: false,
  force: false,
  preserve: false,
  mode: "default",
  insecure: false,
  drainMs: 0,
  wait: true,
  allow: [],
};

async function observe(version: string, changes: Partial<UpgradeInput> = {}) {
  const { context } = await contextWith(upgradable({ version }).node);
  return await observeUpgrade(context, { ...input, ...changes });
}

Deno.test("the version of the node chooses the call, unless only one of them can do it", async () => {
  const cases: readonly [string, Partial<UpgradeInput>, string][] = [
    ["v1.12.11", {}, "legacy"],
    ["v1.13.0-alpha.2", {}, "legacy"],
    ["v1.13.0-beta.0", {}, "lifecycle"],
    ["v1.14.2", {}, "lifecycle"],
    ["built-by-me", {}, "lifecycle"],
    ["v1.14.2", { stage: true }, "legacy"],
    ["v1.14.2", { force: true }, "legacy"],
    ["v1.14.2", { insecure: true }, "legacy"],
  ];
  for (const [version, changes, via] of cases) {
    assert.equal((await observe(version, changes)).via, via, version);
  }
});

Deno.test("an upgrade is known by boot, image, version, schematic and call", async () => {
  assert.deepEqual(upgradeKey(await observe("v1.12.1")), {
    bootId: "1",
    image: "ghcr.io/siderolabs/installer:v1.13.1",
    version: "v1.13.1",
    schematic: null,
    via: "legacy",
    drains: null,
  });
});

Deno.test("a node at its target is upgraded, unless it is forced", async () => {
  const seen = await observe("v1.13.1");
  assert.equal(isUpgraded(seen, { force: false }), true);
  assert.equal(isUpgraded(seen, { force: true }), false);
  assert.equal(isUpgraded(await observe("v1.13.0"), { force: false }), false);
});

Deno.test("a rule that forbids it is named with what overrides it", async () => {
  const seen = await observe("v1.12.1", { to: "v1.14.0" });
  assert.throws(
    () => checkUpgrade(seen, { allow: ["image-identity"] }),
    new RefusedError(
      "v1.14.0 is more than one minor version ahead of v1.12.1 (S8; --allow version-path)",
    ),
  );
  checkUpgrade(seen, { allow: ["version-path"] });
});
