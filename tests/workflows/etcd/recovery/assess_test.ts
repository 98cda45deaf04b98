import assert from "node:assert/strict";
import { type Plane, siteOf, waiting } from "./_planes.ts";
import { assessEtcd } from "../../../../workflows/etcd/recovery/assess.ts";

const stuck: Plane = { service: "Running", data: true, boot: "1" };

Deno.test("etcd decides as long as a member follows a leader", async () => {
  const site = await siteOf({ a: [stuck], b: ["away"], c: [waiting] });
  const member = (id: string, learner = false) => ({ id, name: id, learner });
  async function assessed(healthy: readonly string[]) {
    const readEtcd = () =>
      Promise.resolve({
        facts: {
          members: [member("1"), member("2"), member("3", true)],
          healthy,
        },
        memberOf: new Map(),
      });
    const cluster = { ...site.cluster, readEtcd } as never;
    return await assessEtcd({ ...site, cluster });
  }
  const lost = await assessed([]);
  assert.deepEqual(lost, {
    quorum: false,
    voters: 2,
    healthy: 0,
    needed: 2,
    nodes: [
      { node: "a", reachable: true, service: "Running", dataDir: "data" },
      { node: "b", reachable: false, service: "", dataDir: "unknown" },
      { node: "c", reachable: true, service: "Preparing", dataDir: "empty" },
    ],
  });
  assert.equal((await assessed(["1"])).quorum, true);
});
