import assert from "node:assert/strict";
import { parseFault } from "../../../../workflows/rehearsal/faults/parse_fault.ts";
import { injectIntoModel } from "../../../../workflows/rehearsal/model/inject_fault.ts";
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
