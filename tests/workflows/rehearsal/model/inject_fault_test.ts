import assert from "node:assert/strict";
import type { ModelFault } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import {
  clientAt,
  newImage,
  nodeAt,
  until,
  withModel,
} from "../../../simulator/_model.ts";

const first = "demo-controlplane-1";
const worker = "demo-worker-1";
const upgrade = { image: newImage };

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
