import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { domain } from "../../../talos.ts";
import { readClusterFacts } from "../../../workflows/runbooks/cluster_facts.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

const node = (address: string, version: string, reachable = true) => ({
  address,
  version,
  reachable,
});

function makeNode(get: () => unknown): FakeNode {
  return {
    get({ type }: { readonly type: string }) {
      const spec = type === `Infos.cluster.${domain}`
        ? { clusterId: "c-1", clusterName: "lab" }
        : get();
      return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
    },
  };
}

Deno.test("readClusterFacts asks the first node that answers, and puts the oldest version first", async () => {
  const { nodes } = fakeNodes({
    b: makeNode(() => {
      throw new RpcError("UNAVAILABLE", "gone");
    }),
    c: makeNode(() => ({
      cluster: { controlPlane: { endpoint: "https://lab:6443" } },
    })),
  });
  assert.deepEqual(
    await readClusterFacts(nodes, [
      node("a", "", false),
      node("b", "v1.12.10"),
      node("c", "v1.12.9"),
      node("d", "v1.12.9"),
    ]),
    {
      id: "c-1",
      name: "lab",
      endpoint: "https://lab:6443",
      versions: ["v1.12.9", "v1.12.10"],
    },
  );
});

Deno.test("readClusterFacts has empty texts for what no node reports", async () => {
  const empty = { id: "", name: "", endpoint: "", versions: [] };
  const { nodes } = fakeNodes({ a: { get: () => ({}) } });
  assert.deepEqual(await readClusterFacts(nodes, []), empty);
  assert.deepEqual(await readClusterFacts(nodes, [node("a", "")]), empty);
  const broken = { at: () => Promise.reject(new TypeError("a bug")) };
  await assert.rejects(readClusterFacts(broken, [node("a", "")]), {
    name: "TypeError",
  });
});
