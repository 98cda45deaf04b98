import assert from "node:assert/strict";
import { parseFault } from "../../../../workflows/rehearsal/faults/parse_fault.ts";
import {
  injectIntoModel,
  type ModelFault,
} from "../../../../workflows/rehearsal/model/inject_fault.ts";
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

Deno.test("a node that is unavailable, and an etcd member that is stopped, a learner or has an alarm, are seen until it is over", async () => {
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
    const down = await during({ what: "unavailable", node: first }, observe);
    assert.deepEqual(down.map(({ isOn, isReachable }) => [isOn, isReachable]), [
      [true, false],
      [true, true],
    ]);
    const unhealthy = await during(
      { what: "etcd-stopped", node: first },
      observe,
    );
    assert.deepEqual(unhealthy.map(({ etcd }) => etcd.isRunning), [
      false,
      true,
    ]);
    const learner = await during(
      { what: "etcd-learner", node: first },
      observe,
    );
    assert.deepEqual(learner.map(({ etcd }) => etcd.isLearner), [true, false]);
    const alarms = async () => {
      const { messages } = await machine.etcdAlarmList({});
      return messages[0]?.memberAlarms.map(({ alarm }) => alarm);
    };
    const kinds = [["etcd-nospace", 1], ["etcd-corrupt", 2]] as const;
    for (const [what, number] of kinds) {
      const alarm = { what, node: first };
      assert.deepEqual(await during(alarm, alarms), [[number], []]);
    }
  });
});

Deno.test("etcd-leads makes a member the leader", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    for (const node of cluster.nodes()) {
      const off = await cluster.inject({ what: "etcd-leads", node });
      await off();
      const leaders = cluster.observe().nodes.filter(({ etcd }) =>
        etcd.isLeader
      );
      assert.deepEqual(leaders.map(({ name }) => name), [node]);
    }
  });
});

Deno.test("etcd-data-lost has a member rejoin with its next boot", async () => {
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
    await cluster.inject({ what: "etcd-data-lost", node: first });
    const after = await boot();
    assert.notEqual(after, before);
    assert.equal(await boot(), after);
    assert.equal(nodeAt(cluster, first).etcd.members.length, 3);
  });
});

Deno.test("a strange node has no faults", async () => {
  await withModel({}, async (cluster) => {
    await assert.rejects(cluster.inject({ what: "unavailable", node: "x" }), {
      name: "RangeError",
    });
  });
});

Deno.test("a call whose answer is lost was run, the other was not", async () => {
  for (const what of ["request-lost", "reply-lost"] as const) {
    await withModel({ workers: 1 }, async (cluster) => {
      await cluster.inject({ what, method: "Upgrade", node: worker, times: 1 });
      const { machine } = clientAt(cluster, worker);
      await assert.rejects(machine.upgrade(upgrade), { code: "UNAVAILABLE" });
      await cluster.clock.sleep(600_000);
      const isDone = what === "reply-lost";
      assert.equal(nodeAt(cluster, worker).installs, isDone ? 1 : 0);
      assert.equal(cluster.observe().calls[0]?.carriedOut, isDone);
    });
  }
});

Deno.test("a fault of a rehearsal affects all nodes of its name, and is taken back", async () => {
  await withModel({ workers: 2 }, async (cluster) => {
    const inject = (text: string) => injectIntoModel(cluster, parseFault(text));
    const reachable = () =>
      cluster.observe().nodes.map(({ isReachable }) => isReachable);
    const lift = await inject("node/worker-*: unavailable");
    assert.deepEqual(reachable(), [true, false, false]);
    await lift();
    assert.deepEqual(reachable(), [true, true, true]);
    await inject("node/worker-2: leaves");
    assert.deepEqual(cluster.nodes(), [first, worker]);
    await inject("node/worker: joins");
    assert.deepEqual(cluster.nodes(), [first, worker, "demo-worker-3"]);
    for (const text of ["node/w-9: unavailable", "etcd/worker-1: learner"]) {
      const [, name] = /\/([^:]+):/.exec(text)!;
      await assert.rejects(inject(text), {
        message: `Cannot use fault "${text}": there is no node "${name}"`,
      });
    }
  });
});

Deno.test("a fault of calls is for its method and its node", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const fault = parseFault(
      "rpc/Hostname/worker-1: call-fails ABORTED times 1",
    );
    await injectIntoModel(cluster, fault);
    const { machine } = clientAt(cluster, worker);
    await machine.version({});
    await clientAt(cluster, first).machine.hostname({});
    await assert.rejects(machine.hostname({}), { code: "ABORTED" });
    await machine.hostname({});
  });
});
