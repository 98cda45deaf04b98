import assert from "node:assert/strict";
import type { ModelFault } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import {
  clientAt,
  newImage,
  newVersion,
  nodeAt,
  until,
  withModel,
} from "../../../simulator/_model.ts";

const first = "demo-controlplane-1";
const worker = "demo-worker-1";
const upgrade = { image: newImage };

Deno.test("never-returns leaves a node off until it is over", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const off = await cluster.inject({ what: "never-returns", node: worker });
    await clientAt(cluster, worker).machine.upgrade(upgrade);
    await cluster.clock.sleep(3_600_000);
    const { isOn, isReachable, installs, reboots } = nodeAt(cluster, worker);
    assert.deepEqual([isOn, isReachable, installs, reboots], [
      false,
      false,
      1,
      0,
    ]);
    await off();
    await until(cluster, () => nodeAt(cluster, worker).isReady);
    assert.equal(nodeAt(cluster, worker).version, newVersion);
  });
});

Deno.test("returns-old-version falls back, and keeps what was installed", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await cluster.inject({ what: "returns-old-version", node: worker });
    await clientAt(cluster, worker).machine.upgrade(upgrade);
    await cluster.clock.sleep(3_600_000);
    const { version, reboots, installs, isReady } = nodeAt(cluster, worker);
    assert.deepEqual([version, installs, isReady], ["v1.13.4", 1, true]);
    assert.equal(reboots, 2);
  });
});

Deno.test("down, unhealthy, learner and alarm are seen, and over", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    const { machine } = clientAt(cluster, "demo-controlplane-2");
    async function during<T>(fault: ModelFault, look: () => Promise<T>) {
      const off = await cluster.inject(fault);
      const seen = await look();
      await off();
      await cluster.clock.sleep(120_000);
      return [seen, await look()];
    }
    const observe = () => Promise.resolve(nodeAt(cluster, first));
    const down = await during({ what: "down", node: first }, observe);
    assert.deepEqual(down.map(({ isOn, isReachable }) => [isOn, isReachable]), [
      [true, false],
      [true, true],
    ]);
    const unhealthy = await during({ what: "unhealthy", node: first }, observe);
    assert.deepEqual(unhealthy.map(({ etcd }) => etcd.isRunning), [
      false,
      true,
    ]);
    const learner = await during({ what: "learner", node: first }, observe);
    assert.deepEqual(learner.map(({ etcd }) => etcd.isLearner), [true, false]);
    const alarms = async () => {
      const { messages } = await machine.etcdAlarmList({});
      return messages[0]?.memberAlarms.map(({ alarm }) => alarm);
    };
    for (const [kind, number] of [["NOSPACE", 1], ["CORRUPT", 2]] as const) {
      const alarm = { what: "alarm", node: first, kind } as const;
      assert.deepEqual(await during(alarm, alarms), [[number], []]);
    }
  });
});

Deno.test("leader-moves makes a member the leader", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    for (const node of cluster.nodes()) {
      const off = await cluster.inject({ what: "leader-moves", node });
      await off();
      const leaders = cluster.observe().nodes.filter(({ etcd }) =>
        etcd.isLeader
      );
      assert.deepEqual(leaders.map(({ name }) => name), [node]);
    }
  });
});

Deno.test("data-lost has a member join anew with its next boot", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    const { machine } = clientAt(cluster, first);
    const own = async () => {
      const { messages } = await machine.etcdMemberList({ queryLocal: true });
      return messages[0]?.members.find(({ hostname }) => hostname === first)
        ?.id;
    };
    const boot = async () => {
      const { reboots } = nodeAt(cluster, first);
      await machine.reboot({});
      await until(cluster, () => nodeAt(cluster, first).reboots > reboots);
      await until(cluster, () => nodeAt(cluster, first).isReady);
      return await own();
    };
    const before = await own();
    await cluster.inject({ what: "data-lost", node: first });
    const after = await boot();
    assert.notEqual(after, before);
    assert.equal(await boot(), after);
    assert.equal(nodeAt(cluster, first).etcd.members.length, 3);
  });
});

Deno.test("skew moves one node's clock", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await cluster.inject({ what: "skew", node: worker, ms: 600_000 });
    const timeOf = async (name: string) => {
      const { messages } = await clientAt(cluster, name).time.time({});
      return Number(messages[0]?.localtime?.seconds ?? 0n);
    };
    assert.equal(await timeOf(worker) - await timeOf(first), 600);
  });
});

Deno.test("registries that are down or have no image fail pulls of all nodes", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const pull = (name: string) =>
      clientAt(cluster, name).machine.upgrade(upgrade)
        .then(() => "pulled", ({ message }) => message);
    const down = await cluster.inject({ what: "registry-down" });
    assert.match(await pull(worker), /dial tcp: i\/o timeout/);
    await down();
    const none = await cluster.inject({ what: "registry-not-found" });
    assert.match(await pull(worker), /: not found$/);
    await none();
    assert.equal(await pull(worker), "pulled");
  });
});

Deno.test("a strange node has no faults", async () => {
  await withModel({}, async (cluster) => {
    await assert.rejects(cluster.inject({ what: "down", node: "x" }), {
      name: "RangeError",
    });
  });
});

Deno.test("a call whose answer is lost was run, the other was not", async () => {
  for (const what of ["drop-before-send", "drop-after-send"] as const) {
    await withModel({ workers: 1 }, async (cluster) => {
      await cluster.inject({ what, method: "Upgrade", node: worker, times: 1 });
      const { machine } = clientAt(cluster, worker);
      await assert.rejects(machine.upgrade(upgrade), { code: "UNAVAILABLE" });
      await cluster.clock.sleep(600_000);
      const isDone = what === "drop-after-send";
      assert.equal(nodeAt(cluster, worker).installs, isDone ? 1 : 0);
      assert.equal(cluster.observe().calls[0]?.carriedOut, isDone);
    });
  }
});

Deno.test("an installation continues when the stream that follows it breaks", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const { image, lifecycle } = clientAt(cluster, worker);
    const containerd = { driver: 0, namespace: 1 } as const;
    await Array.fromAsync(image.pull({ containerd, imageRef: newImage }));
    await cluster.inject({
      what: "drop-after-send",
      method: "Upgrade",
      times: 1,
    });
    await assert.rejects(
      Array.fromAsync(
        lifecycle.upgrade({ containerd, source: { imageName: newImage } }),
      ),
      { code: "UNAVAILABLE" },
    );
    await cluster.clock.sleep(600_000);
    const { installs, version, nextVersion } = nodeAt(cluster, worker);
    assert.deepEqual([installs, version, nextVersion], [
      1,
      "v1.13.4",
      newVersion,
    ]);
  });
});
