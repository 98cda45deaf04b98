import assert from "node:assert/strict";
import {
  clientAt,
  nodeAt,
  until,
  withModel,
} from "../../../simulator/_model.ts";

const names = [1, 2, 3].map((number) => `demo-controlplane-${number}`);

Deno.test("the quorum's history has every time a member was down", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    const [first = "", second = ""] = names;
    await clientAt(cluster, first).machine.reboot({});
    await until(cluster, () => nodeAt(cluster, first).reboots === 1);
    await until(cluster, () => nodeAt(cluster, first).isReady);
    const [off, offToo] = [
      await cluster.inject({ what: "etcd-stopped", node: first }),
      await cluster.inject({ what: "etcd-stopped", node: second }),
    ];
    await off();
    await cluster.clock.sleep(1_000);
    await offToo();
    await cluster.clock.sleep(1_000);
    assert.deepEqual(
      cluster.observe().quorum.map(({ hasQuorum, down }) =>
        `${hasQuorum} ${down.join()}`
      ),
      [
        "true ",
        `true ${first}`,
        "true ",
        `true ${first}`,
        `false ${first},${second}`,
        `true ${second}`,
        "true ",
      ],
    );
  });
});

Deno.test("observe tells members, leaders and clusters apart", async () => {
  await withModel({ controlPlanes: 3, workers: 1 }, (cluster) => {
    const [first, second, , worker] = cluster.observe().nodes;
    assert.ok(first && second && worker);
    assert.deepEqual(first.etcd, {
      isRunning: true,
      hasData: true,
      cluster: 0,
      isLearner: false,
      isLeader: first.etcd.isLeader,
      members: names,
    });
    const leaders = cluster.observe().nodes.filter(({ etcd }) => etcd.isLeader);
    assert.equal(leaders.length, 1);
    assert.deepEqual(worker.etcd, {
      isRunning: false,
      hasData: false,
      cluster: -1,
      isLearner: false,
      isLeader: false,
      members: [],
    });
    assert.match(worker.trust.issuer, /^[0-9a-f]{64}$/);
    assert.deepEqual(worker.trust.accepted, [first.trust.issuer]);
    assert.equal(worker.trust.kubernetesIssuer, "");
    assert.deepEqual(worker.trust.kubernetesAccepted, [
      first.trust.kubernetesIssuer,
    ]);
    assert.match(worker.configuration, /type: worker/);
    assert.equal(worker.nextVersion, "v1.13.4");
    return Promise.resolve();
  });
});

Deno.test("a cluster started twice is seen, and so is the loss of the last data", async () => {
  await withModel({ controlPlanes: 2 }, async (cluster) => {
    const wipe = async (name: string) => {
      const { reboots } = nodeAt(cluster, name);
      await clientAt(cluster, name).machine.reset({
        graceful: false,
        reboot: true,
        systemPartitionsToWipe: [{ label: "EPHEMERAL", wipe: true }],
      });
      await until(cluster, () => nodeAt(cluster, name).reboots > reboots);
      await cluster.clock.sleep(300_000);
    };
    const [first = "", second = ""] = names;
    await wipe(first);
    assert.equal(cluster.observe().dataLost, 0);
    await wipe(second);
    assert.equal(cluster.observe().dataLost, 1);
    assert.equal(cluster.observe().quorum.at(-1)?.copies, 0);
    await Promise.all(
      [first, second].map((name) =>
        clientAt(cluster, name).machine.bootstrap({})
      ),
    );
    await cluster.clock.sleep(60_000);
    const { nodes, quorum } = cluster.observe();
    assert.equal(quorum.at(-1)?.clusters, 2);
    assert.deepEqual(nodes.map(({ etcd }) => etcd.cluster), [0, 1]);
  });
});

Deno.test("observer: reported states do not change afterwards", async () => {
  await withModel({}, async (cluster) => {
    const before = cluster.observe();
    await clientAt(cluster, names[0]!).machine.version({});
    assert.deepEqual(before.calls, []);
    assert.equal(cluster.observe().calls.length, 1);
  });
});
