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

Deno.test("observer: reported states do not change afterwards", async () => {
  await withModel({}, async (cluster) => {
    const before = cluster.observe();
    await clientAt(cluster, names[0]!).machine.version({});
    assert.deepEqual(before.calls, []);
    assert.equal(cluster.observe().calls.length, 1);
  });
});
