import assert from "node:assert/strict";
import { apiOf } from "./_api.ts";

Deno.test("every cluster has static pods, pods on every node, and two name servers", async () => {
  const { pods, ask } = await apiOf({ workers: 1 });
  const onFirst = pods("fieldSelector=spec.nodeName=lab-controlplane-1");
  assert.deepEqual(
    onFirst.filter((name) => name.endsWith("lab-controlplane-1")),
    [
      "kube-apiserver-lab-controlplane-1",
      "kube-controller-manager-lab-controlplane-1",
      "kube-scheduler-lab-controlplane-1",
    ],
  );
  for (const name of ["kube-flannel", "kube-proxy"]) {
    assert.equal(pods(`labelSelector=k8s-app=${name}`).length, 2, name);
  }
  assert.equal(pods("labelSelector=k8s-app=kube-dns").length, 2);
  assert.deepEqual(
    ask("GET /api/v1/namespaces").items.map((
      { metadata }: { metadata: { name: string } },
    ) => metadata.name),
    ["default", "kube-node-lease", "kube-public", "kube-system"],
  );
});

Deno.test("static pods are marked, and come back when they are deleted", async () => {
  const { ask, pass } = await apiOf();
  const path =
    "/api/v1/namespaces/kube-system/pods/kube-apiserver-lab-controlplane-1";
  const before = ask(`GET ${path}`).metadata;
  assert.match(
    before.annotations["kubernetes.io/config.mirror"],
    /^[0-9a-f]{32}$/,
  );
  ask(`DELETE ${path}`);
  pass(1_000);
  assert.notEqual(ask(`GET ${path}`).metadata.uid, before.uid);
});

Deno.test("a deployment has as many pods as it wants, and says whether it is available", async () => {
  const { ask, pods, pass } = await apiOf({ workers: 1 });
  const labels = { app: "web" };
  ask("POST /apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: {} },
    },
  });
  const conditions = () =>
    ask("GET /apis/apps/v1/namespaces/default/deployments/web").status
      .conditions;
  assert.deepEqual(conditions(), [{ type: "Available", status: "False" }]);
  pass(1_000);
  assert.equal(pods("labelSelector=app=web").length, 3);
  assert.deepEqual(conditions(), [{ type: "Available", status: "True" }]);
  ask("PATCH /apis/apps/v1/namespaces/default/deployments/web", {
    spec: { replicas: 4 },
  });
  assert.equal(pods("labelSelector=app=web").length, 4);
});
