import assert from "node:assert/strict";
import type { NodeContext } from "../../../../workflows/operations/operation.ts";
import { upgrade } from "../../../../workflows/operations/upgrade/upgrade.ts";
import type {
  UpgradeInput,
  UpgradeKey,
} from "../../../../workflows/operations/upgrade/upgrade_facts.ts";
import { startKubernetes } from "../../kubernetes/_kubernetes.ts";
import { type Mishaps, upgradable } from "../_upgrades.ts";
import { contextWith, runWalk } from "../_run_operation.ts";

const name = "lab-worker-1";

const input: UpgradeInput = {
  image: null,
  to: "v1.13.1",
  stage: false,
  force: false,
  preserve: false,
  mode: "default",
  insecure: false,
  drainMs: 60_000,
  wait: true,
  allow: [],
};

const key: UpgradeKey = {
  bootId: "1",
  image: "ghcr.io/siderolabs/installer:v1.13.1",
  version: "v1.13.1",
  schematic: null,
  via: "lifecycle",
  drains: name,
};

/** A node that is one of Kubernetes. */
async function member(
  mishaps: Mishaps = {},
  limitMs = 600_000,
  version = "v1.13.0",
) {
  const a = upgradable({ version }, mishaps);
  const get = (request: { readonly type: string }) =>
    request.type.startsWith("Nodenames.")
      ? { resource: { spec: { yamlSpec: `nodename: ${name}` } } }
      : a.node.get?.(request);
  const { context: bare } = await contextWith({ ...a.node, get }, limitMs);
  const fake = await startKubernetes({ workers: 2 });
  const { kubernetes, ask, unplug, pass } = fake;
  const cluster = {
    ...bare.cluster,
    kubernetes: () => Promise.resolve(kubernetes),
  };
  const clock = {
    ...bare.clock,
    sleep(ms: number) {
      pass(ms);
      return bare.clock.sleep(ms);
    },
  };
  const context: NodeContext = { ...bare, cluster, clock };
  const isClosed = () =>
    ask(`GET /api/v1/nodes/${name}`).spec.unschedulable === true;
  return { ...a, context, isClosed, unplug, ask };
}

Deno.test("a node stays cordoned while it is unavailable, and is opened when it is back", async () => {
  const { context, sent, isClosed } = await member();
  const { steps } = await runWalk(upgrade.apply(context, input, key));
  assert.deepEqual(sent, ["pull", "install", "reboot"]);
  assert.ok(steps.some((text) => text.startsWith(`${name} is drained: `)));
  assert.equal(isClosed(), true);
  assert.deepEqual(
    (await runWalk(upgrade.verify(context, input, key))).verdict,
    {
      outcome: "done",
      reason: `ready, v1.13.1; ${name} is uncordoned`,
    },
  );
  assert.equal(isClosed(), false);
});

Deno.test("a node that does not reboot stays cordoned, and that is said", async () => {
  const { context, isClosed } = await member({ staysUp: true });
  await runWalk(upgrade.apply(context, input, key));
  const { verdict } = await runWalk(upgrade.verify(context, input, key));
  assert.equal(verdict?.outcome, "never-rebooted");
  assert.match(verdict?.reason ?? "", /; lab-worker-1 stays cordoned$/);
  assert.equal(isClosed(), true);
});

Deno.test("a node that is back before Kubernetes is waits for it, and has not ended without it", async () => {
  const { context, isClosed, unplug } = await member();
  await runWalk(upgrade.apply(context, input, key));
  unplug(true);
  assert.deepEqual(
    (await runWalk(upgrade.verify(context, input, key))).verdict,
    {
      outcome: "timed-out",
      reason: `ready, v1.13.1; ${name} is still cordoned: Cannot reach it`,
    },
  );
  unplug(false);
  assert.equal(isClosed(), true);
});

Deno.test("an installer that fails leaves the node open, one that takes too long leaves it closed", async () => {
  const failing = await member({ exitCode: 1 });
  await assert.rejects(
    runWalk(upgrade.apply(failing.context, input, key)),
    /The installer failed with exit status 1/,
  );
  assert.equal(failing.isClosed(), false);
  const slow = await member({ outOfSight: true }, 5_000);
  const { verdict } = await runWalk(upgrade.apply(slow.context, input, key));
  assert.deepEqual(verdict, {
    outcome: "timed-out",
    reason:
      `timed out while the node was working on it; ${name} stays cordoned`,
  });
  assert.equal(slow.isClosed(), true);
});

Deno.test("a node whose client died behind the installation is drained again before the reboot", async () => {
  const { context, sent, isClosed, node } = await member();
  const source = { imageName: key.image };
  await Array.fromAsync(node.upgrade?.({ source }));
  sent.length = 0;
  assert.ok(upgrade.resume);
  await runWalk(upgrade.resume(context, input, key));
  assert.deepEqual(sent, ["reboot"]);
  assert.equal(isClosed(), true);
});

Deno.test("a node whose API lacks the call is drained by both", async () => {
  const { context, sent } = await member({ old: true });
  await runWalk(upgrade.apply(context, input, key));
  assert.deepEqual(sent, ["pull", "install", "upgrade"]);
});

Deno.test("a node that runs what is wanted, and was left closed, is opened and asked for nothing", async () => {
  const { context, sent, isClosed, ask } = await member({}, 600_000, "v1.13.1");
  const seen = await upgrade.observe(context, input);
  assert.deepEqual(upgrade.plan(seen, input), []);
  const body = {
    metadata: { annotations: { "osctl.dev/cordoned-by": "upgrade" } },
    spec: { unschedulable: true },
  };
  ask(`PATCH /api/v1/nodes/${name}`, body);
  const closed = await upgrade.observe(context, input);
  assert.deepEqual(upgrade.plan(closed, input), [
    { action: "uncordon lab-worker-1", gentle: true },
  ]);
  const found = upgrade.key(closed, input);
  assert.equal(await upgrade.reconcile(context, input, found), "done");
  assert.deepEqual(await runWalk(upgrade.apply(context, input, found)), {
    steps: [],
    verdict: undefined,
  });
  assert.deepEqual(
    (await runWalk(upgrade.verify(context, input, found))).verdict,
    {
      outcome: "done",
      reason: `ready, v1.13.1; ${name} is uncordoned`,
    },
  );
  assert.equal(isClosed(), false);
  assert.deepEqual(sent, []);
  // Without a wait or a drain no connection is opened.
  ask(`PATCH /api/v1/nodes/${name}`, body);
  for (const less of [{ wait: false }, { drainMs: 0 }]) {
    const other = { ...input, ...less };
    const seen = await upgrade.observe(context, other);
    assert.deepEqual(upgrade.plan(seen, other), []);
  }
});

Deno.test("leave is requested again before the reboot; without it the node is opened, and keeps what it runs", async () => {
  const { context, sent, isClosed } = await member();
  const { verdict } = await runWalk(upgrade.apply(
    {
      ...context,
      async *renewLeave() {
        yield await Promise.resolve({ text: "waiting: etcd is ill" });
        assert.deepEqual(sent, ["pull", "install"]);
        assert.equal(isClosed(), true);
        return { outcome: "refused", reason: "etcd is ill (S1)", code: "S1" };
      },
    },
    input,
    key,
  ));
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason:
      "etcd is ill (S1); v1.13.1 is installed; the next boot starts it; " +
      `${name} is uncordoned`,
    code: "S1",
  });
  assert.deepEqual(sent, ["pull", "install"]);
  assert.equal(isClosed(), false);
});

Deno.test("a node whose API lacks the call is not rebooted without leave either", async () => {
  const { context, sent } = await member({ old: true });
  const { verdict } = await runWalk(upgrade.apply(
    {
      ...context,
      async *renewLeave() {
        yield* [];
        await Promise.resolve();
        return { outcome: "refused", reason: "no (S1)", code: "S1" };
      },
    },
    input,
    key,
  ));
  assert.deepEqual(sent, ["pull", "install"]);
  assert.equal(verdict?.reason, `no (S1); ${name} is uncordoned`);
});
