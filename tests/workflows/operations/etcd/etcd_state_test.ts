import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { type FakeNode, fakeNodes } from "../../../_fake.ts";
import {
  assessEtcd,
  isWaiting,
  readEtcdIfReachable,
  readEtcdOnNode,
} from "../../../../workflows/operations/etcd/etcd_state.ts";
import {
  makeRecoveryContext,
  type Plane,
  waiting,
} from "../../etcd/recovery/_control_planes.ts";

const { signal } = new AbortController();

function etcdNode(
  state: string,
  files: readonly string[] | undefined,
): FakeNode {
  const services = state === "" ? [] : [
    { id: "kubelet", state: "Running" },
    { id: "etcd", state, health: { healthy: state === "Running" } },
  ];
  return {
    serviceList: () => ({ messages: [{ services }] }),
    list: ({ root }: { root: string }) => {
      if (files === undefined) throw new RpcError("UNKNOWN", "not shown");
      return [root, ...files].map((relativeName) => ({ relativeName }));
    },
    read: () => [{ bytes: new TextEncoder().encode("boot-1\n") }],
  };
}

Deno.test("etcd of a node is known by its service and its folder", async () => {
  const cases = [
    ["Running", ["member"], true, "data"],
    ["Running", undefined, true, "data"],
    ["Preparing", undefined, false, "empty"],
    ["Preparing", ["member"], false, "data"],
    ["Preparing", [], false, "empty"],
    ["Failed", undefined, false, "unknown"],
    ["Failed", ["member"], false, "data"],
    ["", [], false, "empty"],
  ] as const;
  for (const [service, files, healthy, dataDir] of cases) {
    const { nodes } = fakeNodes({ a: etcdNode(service, files) });
    assert.deepEqual(await readEtcdOnNode(await nodes.at("a"), signal), {
      service,
      healthy,
      dataDir,
      bootId: "boot-1",
    });
  }
  assert.equal(isWaiting("Waiting"), true);
  assert.equal(isWaiting("Running"), false);
});

Deno.test("a node that does not answer is not there, and a bug is one", async () => {
  const away = fakeNodes({
    a: {
      serviceList: () => {
        throw new RpcError("UNAVAILABLE", "gone");
      },
    },
    b: {
      serviceList: () => {
        throw new TypeError("a bug");
      },
    },
  });
  const first = await away.nodes.at("a");
  assert.equal(await readEtcdIfReachable(first, signal), undefined);
  const second = await away.nodes.at("b");
  await assert.rejects(() => readEtcdIfReachable(second, signal), TypeError);
});

const stuck: Plane = { service: "Running", data: true, boot: "1" };

Deno.test("etcd has a quorum as long as a member follows a leader", async () => {
  const context = await makeRecoveryContext({
    a: [stuck],
    b: ["away"],
    c: [waiting],
  });
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
    const cluster = { ...context.cluster, readEtcd } as never;
    return await assessEtcd({ ...context, cluster });
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
