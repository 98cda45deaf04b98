import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { memberNamed } from "../../../transport/node/members.ts";
import {
  askControlPlanes,
  viewCluster,
} from "../../../workflows/operations/cluster_view.ts";
import { fakeNodes } from "../../_fake.ts";

const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** The endpoint's answers: two members, and the cluster's name. */
function endpoint() {
  const specs = [
    { addresses: ["10.0.0.2"], hostname: "one", machineType: "controlplane" },
    { addresses: ["10.0.0.3"], hostname: "two", machineType: "worker" },
  ];
  return {
    async *list() {
      await Promise.resolve();
      for (const spec of specs) {
        yield { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
      }
    },
    get: () => ({ resource: { spec: { yamlSpec: "clusterName: lab\n" } } }),
  };
}

/** A node that reports its machine type, or has none. */
function typeText(type: string) {
  return { get: () => ({ resource: { spec: { yamlSpec: `${type}\n` } } }) };
}

/** A control plane whose etcd has three members, at 10.0.0.2 and up. */
function etcdMember(id: bigint) {
  const members = [1n, 2n, 3n].map((id) => ({
    id,
    hostname: `cp-${id}`,
    clientUrls: [`https://10.0.0.${id + 1n}:2379`],
    peerUrls: [`https://10.0.0.${id + 1n}:2380`],
  }));
  return {
    etcdMemberList: () => ({ messages: [{ members }] }),
    etcdStatus: () => ({
      messages: [{ memberStatus: { memberId: id, leader: 1n } }],
    }),
    etcdAlarmList: () => ({ messages: [{}] }),
  };
}

/** Does not answer. */
const away = { get: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) };

Deno.test("viewCluster knows roles by address and by name, and asks a node that is not listed", async () => {
  const { nodes } = fakeNodes({
    "": endpoint(),
    "10.0.0.2": etcdMember(1n),
    "10.0.0.3": etcdMember(2n),
    "10.0.0.4": { ...etcdMember(3n), ...away },
    "10.0.0.5": typeText("worker"),
    "10.0.0.6": typeText("init"),
    "10.0.0.7": typeText("unknown"),
    "10.0.0.8": away,
  });
  const view = viewCluster(nodes, clock);
  const names = ["10.0.0.2", "one", "10.0.0.3", "two"];
  assert.deepEqual(await Promise.all(names.map(view.readRole)), [
    "controlplane",
    "controlplane",
    "worker",
    "worker",
  ]);
  const others = ["4", "5", "6", "7", "8"].map((last) => `10.0.0.${last}`);
  assert.deepEqual(await Promise.all(others.map(view.readRole)), [
    "controlplane",
    "worker",
    "controlplane",
    "unknown",
    "unknown",
  ]);
  assert.equal(await view.name(), "lab");
});

Deno.test("viewCluster asks the members of etcd that discovery does not list", async () => {
  const { nodes } = fakeNodes({
    "": endpoint(),
    "10.0.0.2": etcdMember(1n),
    "10.0.0.3": etcdMember(2n),
    "10.0.0.4": etcdMember(3n),
  });
  const { facts, memberOf } = await viewCluster(nodes, clock).readEtcd();
  assert.deepEqual(facts.healthy.map((id) => id.at(-1)), ["1", "2", "3"]);
  assert.deepEqual(facts.silent, []);
  assert.equal(memberOf.get("10.0.0.4"), "0000000000000003");
  assert.equal(memberOf.get("cp-3"), "0000000000000003");
});

Deno.test("viewCluster asks every control plane for etcd", async () => {
  const status = {
    etcdMemberList: () => ({
      messages: [{ members: [{ id: 1n, hostname: "one" }] }],
    }),
    etcdStatus: () => ({
      messages: [{ memberStatus: { memberId: 1n, leader: 1n } }],
    }),
    etcdAlarmList: () => ({ messages: [{}] }),
  };
  const { nodes } = fakeNodes({ "": endpoint(), "10.0.0.2": status });
  const { facts, memberOf } = await viewCluster(nodes, clock).readEtcd();
  assert.deepEqual(facts.healthy, ["0000000000000001"]);
  assert.deepEqual([...memberOf.keys()], ["10.0.0.2", "one"]);
});

Deno.test("viewCluster asks control planes for the kubeconfig when Kubernetes is asked, not before, and workers never", async () => {
  const asked: string[] = [];
  const controlPlane = (node: string) => ({
    async *kubeconfig() {
      await Promise.resolve(asked.push(node));
      yield { bytes: new Uint8Array() };
    },
  });
  const { nodes } = fakeNodes({
    "": endpoint(),
    "10.0.0.2": controlPlane("10.0.0.2"),
    "10.0.0.3": controlPlane("10.0.0.3"),
  });
  using view = viewCluster(nodes, clock);
  const kubernetes = await view.kubernetes();
  assert.equal(await view.kubernetes(), kubernetes);
  assert.deepEqual(asked, []);
  const { signal } = new AbortController();
  await assert.rejects(kubernetes.request("/version", { signal }), {
    name: "OsctlError",
  });
  assert.deepEqual(asked, ["10.0.0.2"]);
});

Deno.test("memberNamed finds by address or host name", () => {
  const member = { address: "a", hostname: "b", controlPlane: true };
  assert.equal(memberNamed([member], "a"), member);
  assert.equal(memberNamed([member], "b"), member);
  assert.equal(memberNamed([member], "c"), undefined);
});

Deno.test("askControlPlanes asks no worker, and the next control plane when one does not answer", async () => {
  const { nodes } = fakeNodes({
    "": endpoint(),
    "10.0.0.2": etcdMember(1n),
    "10.0.0.3": etcdMember(2n),
  });
  const asked: string[] = [];
  const view = viewCluster(nodes, clock);
  const members = async () => [...await view.members()].reverse();
  const at = (address: string) => {
    asked.push(address);
    return view.at(address);
  };
  const ask = () => Promise.resolve("answer");
  const answer = await askControlPlanes({ members, at }, ask, "Cannot ask");
  assert.equal(answer, "answer");
  assert.deepEqual(asked, ["10.0.0.2"]);
});
