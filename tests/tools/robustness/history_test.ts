import assert from "node:assert/strict";
import { resetNode } from "../../../simulator/boot/reset.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { recordHistory } from "../../../tools/robustness/history.ts";
import { withCluster } from "../../_cluster.ts";

Deno.test("history: records events of nodes and etcd in order", () =>
  withCluster({ controlplanes: 3, workers: 1 }, async (cluster) => {
    using recorder = recordHistory(cluster);
    const [first, second, third, worker] = cluster.nodes;
    assert.ok(first && second && third && worker);
    const names = cluster.nodes.map(({ origin }) => origin.hostname);
    const states = await recorder.states();
    assert.deepEqual(states.map(({ name }) => name), names);
    assert.deepEqual(states[3], {
      name: "simulated-worker-1",
      address: worker.origin.address,
      boots: 1,
      wipes: 0,
      off: false,
      version: "v1.12.11",
      member: false,
      cordoned: false,
      trusts: states[3]?.trusts,
      marked: false,
    });
    assert.equal(states[0]?.member, true);
    await cluster.reboot("simulated-controlplane-3");
    await setFault(second, "etcd-stopped");
    await setFault(third, "etcd-stopped");
    await recorder.states();
    worker.work(resetNode(worker, {
      ...{ graceful: true, reboots: false, system: "all", userDisks: [] },
    }));
    await cluster.settled();
    const [, , , gone] = await recorder.states();
    assert.deepEqual([gone?.off, gone?.wipes], [true, 1]);
    const told = recorder.events.map(({ node, what, detail }) =>
      [node.replace("simulated-", ""), what, what === "began" ? detail : ""]
        .join(" ").trim()
    );
    const own = (name: string) => told.filter((one) => one.startsWith(name));
    const cp3 = own("controlplane-3").filter((one) => !one.includes("etcd"));
    assert.deepEqual(cp3, [
      "controlplane-3 began reboot",
      "controlplane-3 boot",
      "controlplane-3 began initialize",
      "controlplane-3 began boot",
    ]);
    assert.ok(own("controlplane-2").includes("controlplane-2 etcd-stopped"));
    assert.deepEqual(own("worker-1"), [
      "worker-1 began reset",
      // Of its etcd, and of its configuration.
      ...["worker-1 wipe", "worker-1 wipe"],
    ]);
    assert.deepEqual(
      told.filter((one) => one.endsWith("quorum")),
      ["quorum", "no-quorum"],
    );
  }));
