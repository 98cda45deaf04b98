import assert from "node:assert/strict";
import { fakeNodes } from "../../_fake.ts";
import {
  memberNamed,
  viewCluster,
} from "../../../workflows/operations/cluster_view.ts";

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
    get: () => ({
      resource: { spec: { yamlSpec: "clusterName: lab\n" } },
    }),
  };
}

Deno.test("viewCluster tells roles by address and by name, and takes unknown nodes for control planes", async () => {
  const view = viewCluster(fakeNodes({ "": endpoint() }).nodes, clock);
  assert.deepEqual(
    await Promise.all(
      ["10.0.0.2", "one", "10.0.0.3", "two", "x"].map(view.isControlPlane),
    ),
    [true, true, false, false, true],
  );
  assert.equal(await view.name(), "lab");
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
