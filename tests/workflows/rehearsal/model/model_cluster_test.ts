import assert from "node:assert/strict";
import { type ModelCluster } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import { clientAt, until, withModel } from "../../../simulator/_model.ts";
import { readKubeconfig } from "../../../../workflows/kubernetes/kubeconfig.ts";
import { accessIn } from "../../../../workflows/kubernetes/access.ts";

Deno.test("a new model cluster is ready, has a quorum, and was asked nothing", async () => {
  await withModel({ controlPlanes: 3, workers: 2 }, (cluster) => {
    const { nodes, quorum, dataLost, calls } = cluster.observe();
    assert.deepEqual(cluster.nodes(), [
      "demo-controlplane-1",
      "demo-controlplane-2",
      "demo-controlplane-3",
      "demo-worker-1",
      "demo-worker-2",
    ]);
    for (const node of nodes) {
      assert.equal(node.isReady, true, node.name);
      assert.equal(node.version, "v1.13.4");
      assert.deepEqual([node.reboots, node.installs], [0, 0]);
      assert.deepEqual(node.slots, ["v1.13.4"]);
    }
    assert.deepEqual(
      quorum.map(({ at: _, ...standing }) => standing),
      [{ hasQuorum: true, clusters: 1, down: [], copies: 3 }],
    );
    assert.deepEqual([dataLost, calls], [0, []]);
    assert.ok(cluster.clock.now() > Date.now());
    return Promise.resolve();
  });
});

const get = { method: "GET", path: "/api/v1/nodes?limit=500" };

async function access(cluster: ModelCluster) {
  const client = clientAt(cluster, "demo-controlplane-1");
  return accessIn(await readKubeconfig(client), "kubeconfig");
}

Deno.test("an administrator's kubeconfig opens the API, and requests are recorded", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const admin = await access(cluster);
    const { code, body } = await cluster.kubernetes(get, admin);
    assert.equal(code, 200);
    assert.equal((body as { items: unknown[] }).items.length, 2);
    await cluster.kubernetes({
      method: "PATCH",
      path: "/api/v1/nodes/demo-worker-1",
      body: { spec: { unschedulable: true } },
    }, admin);
    const { nodes, calls } = cluster.observe();
    assert.deepEqual(nodes.map(({ isCordoned }) => isCordoned), [false, true]);
    assert.deepEqual(
      calls.map(({ node, method, mutating }) =>
        [node, method, mutating].join(" ")
      ),
      [
        "demo-controlplane-1 Kubeconfig false",
        "kubernetes GET /api/v1/nodes false",
        "kubernetes PATCH /api/v1/nodes/demo-worker-1 true",
      ],
    );
  });
});

Deno.test("strangers are not authorized, and strange servers not believed", async () => {
  await withModel({}, async (cluster) => {
    const admin = await access(cluster);
    const { crt, key } = cluster.admin;
    const stranger = { ...admin, crt, key };
    assert.equal((await cluster.kubernetes(get, stranger)).code, 401);
    const { ca } = cluster.admin;
    await assert.rejects(cluster.kubernetes(get, { ...admin, ca }), {
      reason: "wrong-ca",
    });
  });
});

Deno.test("another control plane answers while one is down, and none when all are", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    const admin = await access(cluster);
    await cluster.inject({ what: "unavailable", node: "demo-controlplane-1" });
    assert.equal((await cluster.kubernetes(get, admin)).code, 200);
    await assert.rejects(
      cluster.kubernetes(get, admin, "demo-controlplane-1"),
      { reason: "refused" },
    );
    const off = await cluster.inject({ what: "kubernetes-unavailable" });
    await assert.rejects(cluster.kubernetes(get, admin), { reason: "refused" });
    await off();
    assert.equal((await cluster.kubernetes(get, admin)).code, 200);
  });
});

Deno.test("a node whose kubelet is down is not ready", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const admin = await access(cluster);
    const status = async () => {
      const path = "/api/v1/nodes/demo-worker-1";
      const { body } = await cluster.kubernetes({ method: "GET", path }, admin);
      const { status } = body as {
        status: { conditions: { status: string }[] };
      };
      return status.conditions[0]?.status;
    };
    const off = await cluster.inject({
      what: "kubelet-silent",
      node: "demo-worker-1",
    });
    assert.equal(await status(), "Unknown");
    await off();
    assert.equal(await status(), "True");
    await until(cluster, () => cluster.observe().nodes.every((n) => n.isReady));
  });
});

Deno.test("lease-lost gives every lease to another user, once", async () => {
  await withModel({}, async (cluster) => {
    const admin = await access(cluster);
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    const body = { metadata: { name: "lock" }, spec: { holderIdentity: "me" } };
    await cluster.kubernetes({ method: "POST", path, body }, admin);
    const off = await cluster.inject({ what: "lease-lost" });
    await off();
    const request = { method: "GET", path: `${path}/lock` };
    const { body: lease } = await cluster.kubernetes(request, admin);
    const { spec } = lease as { spec: { holderIdentity: string } };
    assert.equal(spec.holderIdentity, "elsewhere");
  });
});
