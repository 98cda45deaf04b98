import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { nodeName } from "../../../../workflows/operations/kubernetes/node_name.ts";
import { viewCluster } from "../../../../workflows/operations/cluster_view.ts";
import { type FakeNode, fakeNodes } from "../../../_fake.ts";
import { startKubernetes } from "../../kubernetes/_kubernetes.ts";

async function* members() {
  await Promise.resolve();
  const spec = {
    addresses: ["10.5.0.3"],
    hostname: "web",
    machineType: "worker",
  };
  yield { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
}

async function findName(get: FakeNode[string], node: string): Promise<string> {
  const { kubernetes, clock, signal } = await startKubernetes({ workers: 1 });
  const { nodes } = fakeNodes({ "": { list: members }, [node]: { get } });
  using cluster = viewCluster(nodes, clock);
  const client = await nodes.at(node);
  return await nodeName({ node, client, cluster, signal }, kubernetes);
}

const down = () => {
  throw new RpcError("UNAVAILABLE", "connection refused");
};

Deno.test("a node says its own name", async () => {
  const spec = { yamlSpec: "nodename: lab-worker-1\n" };
  const get = ({ namespace, id }: Record<string, string>) => {
    assert.deepEqual([namespace, id], ["k8s", "nodename"]);
    return { resource: { spec } };
  };
  assert.equal(await findName(get, "10.5.0.3"), "lab-worker-1");
});

Deno.test("a node that is down is found by its address, also when it was named otherwise", async () => {
  assert.equal(await findName(down, "10.5.0.3"), "lab-worker-1");
  assert.equal(await findName(down, "web"), "lab-worker-1");
});

Deno.test("a node that is down and not known fails with what it said", async () => {
  await assert.rejects(findName(down, "10.9.9.9"), {
    message: "connection refused",
  });
});

const listUnnamed = () => {
  throw new RpcError("NOT_FOUND", "no such resource");
};

Deno.test("a node that has just booted and does not know its name is found by its address", async () => {
  assert.equal(await findName(listUnnamed, "10.5.0.3"), "lab-worker-1");
});

Deno.test("a node without a name that Kubernetes does not know is not a node of it", async () => {
  await assert.rejects(findName(listUnnamed, "10.9.9.9"), {
    message: "Node 10.9.9.9 is not a Kubernetes node: it has no name there",
  });
});
