import assert from "node:assert/strict";
import { ConnectError, RefusedError, RpcError } from "../../../../errors.ts";
import type { InstallState } from "../../../../workflows/upgrade/install_state.ts";
import { parseInstaller } from "../../../../workflows/upgrade/installer_reference.ts";
import type {
  UpgradeInput,
  UpgradeKey,
  UpgradeSeen,
} from "../../../../workflows/operations/upgrade/upgrade_facts.ts";
import {
  installActions,
  isUnknownCall,
  upgradeInstall,
} from "../../../../workflows/operations/upgrade/install.ts";
import { type Mishaps, upgradable } from "../_upgrades.ts";
import { contextWith, runWalk } from "../_run_operation.ts";

const image = "ghcr.io/siderolabs/installer:v1.13.1";

const input: UpgradeInput = {
  image,
  to: null,
  stage: false,
  force: false,
  preserve: false,
  mode: "default",
  insecure: false,
  drainMs: 0,
  wait: true,
  allow: [],
};

const key: UpgradeKey = {
  bootId: "1",
  image,
  version: "v1.13.1",
  schematic: null,
  via: "lifecycle",
  drains: null,
};

async function fresh(version = "v1.13.0", mishaps: Mishaps = {}) {
  const a = upgradable({ version }, mishaps);
  return { ...a, ...await contextWith(a.node, 600_000) };
}

Deno.test("an installation pulls, installs, and does not reboot", async () => {
  const { context, sent, boot } = await fresh();
  const seen = await upgradeInstall.observe(context, input);
  assert.deepEqual(upgradeInstall.plan(seen, input), [
    { action: `install ${image}`, from: "v1.13.0", to: "v1.13.1" },
  ]);
  assert.deepEqual(upgradeInstall.key(seen, input), key);
  await runWalk(upgradeInstall.apply(context, input, key));
  assert.deepEqual(sent, ["pull", "install"]);
  assert.equal(boot(), 1);
  const { verdict } = await runWalk(upgradeInstall.verify(context, input, key));
  assert.deepEqual(verdict, {
    outcome: "done",
    reason: "v1.13.1 is installed; the next boot starts it",
  });
  // Once is enough.
  const again = await upgradeInstall.observe(context, input);
  assert.deepEqual(upgradeInstall.plan(again, input), []);
  await runWalk(upgradeInstall.apply(context, input, key));
  assert.deepEqual(sent, ["pull", "install"]);
});

Deno.test("an old node cannot install alone, and says why", async () => {
  const { context } = await fresh("v1.12.1");
  const seen = await upgradeInstall.observe(context, input);
  assert.throws(
    () => upgradeInstall.plan(seen, input),
    new RefusedError(
      "A node that runs v1.12.1 reboots as part of the upgrade; installing without a reboot needs v1.13",
    ),
  );
});

Deno.test("a node that runs the image already needs no installation", async () => {
  const { context } = await fresh("v1.13.1");
  const seen = await upgradeInstall.observe(context, input);
  assert.deepEqual(upgradeInstall.plan(seen, input), []);
});

Deno.test("install: events of the current boot decide what is allowed", () => {
  const actions = (install: InstallState) => {
    try {
      const seen = {
        install,
        image: parseInstaller(image),
        system: { version: "v1.13.0" },
      };
      // Only these are checked.
      return installActions(seen as UpgradeSeen).map(({ action }) => action);
    } catch (error) {
      assert.ok(error instanceof RefusedError);
      return error.message.slice(-5);
    }
  };
  const other = "registry.example/installer:v1.13.2";
  const cases: readonly [InstallState, readonly string[] | string][] = [
    [{ state: "none" }, [`install ${image}`]],
    [{ state: "unknown", image: "" }, [`install ${image}`]],
    [{ state: "unknown", image }, " (S7)"],
    [{ state: "running", image }, [`wait for ${image}`]],
    [{ state: "running", image: "" }, [`wait for ${image}`]],
    [{ state: "running", image: other }, " (S6)"],
    [{ state: "ended", image, exitCode: 0 }, []],
    [{ state: "ended", image: other, exitCode: 0 }, " (S6)"],
    [{ state: "ended", image, exitCode: 1 }, " (S7)"],
  ];
  for (const [state, expected] of cases) {
    assert.deepEqual(actions(state), expected, JSON.stringify(state));
  }
});

Deno.test("an attempt in doubt is resolved by evidence, without any it counts as installed until the restart", async () => {
  const found = async (
    prepare: (a: Awaited<ReturnType<typeof fresh>>) => unknown,
    mishaps: Mishaps = {},
    from = "v1.13.0",
  ) => {
    const a = await fresh(from, mishaps);
    await prepare(a);
    return await upgradeInstall.reconcile(a.context, input, key);
  };
  const installing = (a: Awaited<ReturnType<typeof fresh>>) =>
    Array.fromAsync(a.node.upgrade?.({ source: { imageName: image } }))
      .catch(() => {});
  assert.equal(await found(() => {}), "not-started");
  assert.equal(await found(installing), "done");
  assert.equal(await found(installing, { outOfSight: true }), "in-progress");
  assert.equal(await found(installing, { exitCode: 1 }), "unknown");
  assert.equal(await found(installing, { silent: true }), "in-progress");
  const rebooted = async (a: Awaited<ReturnType<typeof fresh>>) => {
    await installing(a);
    a.node.reboot?.({});
  };
  assert.equal(await found(rebooted), "done");
  assert.equal(await found(rebooted, { rollsBack: true }), "not-started");
});

Deno.test("an installer that is busy with the same image is waited for", async () => {
  const a = await fresh("v1.13.0", { outOfSight: true });
  const upgrade = a.node.upgrade;
  let asked = 0;
  const { context } = await contextWith({
    ...a.node,
    // deno-lint-ignore require-yield
    async *upgrade(request) {
      // Someone else was faster.
      await Array.fromAsync(upgrade?.(request)).catch(() => {});
      throw new RpcError("FAILED_PRECONDITION", "another one is in progress");
    },
    processes(request) {
      if (++asked === 4) a.endInstaller();
      return a.node.processes?.(request);
    },
  });
  const { steps } = await runWalk(upgradeInstall.apply(context, input, key));
  assert.ok(steps.includes("lost contact with the installer"));
  assert.deepEqual(a.sent, ["pull", "install"]);
});

Deno.test("a call that is not there is distinguished from one that is not wanted", () => {
  assert.equal(isUnknownCall(new RpcError("UNIMPLEMENTED", "")), true);
  assert.equal(isUnknownCall(new RpcError("FAILED_PRECONDITION", "")), false);
});

Deno.test("an installer that is not seen after its call was lost is in doubt, and not begun again", async () => {
  const a = await fresh();
  const lost = new ConnectError("lost", "Connection lost");
  const { context, elapsedMs } = await contextWith({
    ...a.node,
    // deno-lint-ignore require-yield
    async *upgrade() {
      await Promise.resolve();
      throw lost;
    },
  }, 600_000);
  const { verdict } = await runWalk(upgradeInstall.apply(context, input, key));
  assert.deepEqual(verdict, {
    outcome: "in-doubt",
    reason: "the reply was lost: Connection lost, and no installer was seen",
  });
  assert.equal(elapsedMs(), 60_000);
});
