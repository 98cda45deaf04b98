import assert from "node:assert/strict";
import { createKubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { noon } from "../_node.ts";
import { openApi, webPod } from "./_api.ts";

Deno.test("the API says its version and that it is ready", async () => {
  const { ask, answer } = await openApi({ kubernetes: "1.33.5" });
  assert.equal(ask("GET /version").gitVersion, "v1.33.5");
  assert.equal(ask("GET /version").minor, "33");
  assert.deepEqual(answer("GET /readyz"), { code: 200, body: "ok" });
});

Deno.test("without a majority of etcd nothing is answered", async () => {
  const { answer, nodes } = await openApi({ controlplanes: 3 });
  nodes[0]!.boot.reachable = false;
  assert.equal(answer("GET /api/v1/nodes").code, 200);
  nodes[1]!.boot.reachable = false;
  assert.deepEqual(answer("GET /api/v1/nodes"), {
    code: 500,
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "etcdserver: request timed out",
      reason: "InternalError",
      details: {},
      code: 500,
    },
  });
  assert.equal(answer("GET /readyz").code, 500);
  assert.equal(answer("GET /livez").code, 200);
});

const dns = "labelSelector=k8s-app=kube-dns";
const close = { spec: { unschedulable: true } };

Deno.test("an evicted pod goes, and comes back on another node", async () => {
  const { ask, pods, pass } = await openApi({ workers: 2 });
  pass(1_000);
  const { items } = ask(`GET /api/v1/pods?${dns}`);
  const { metadata: { name, namespace }, spec: { nodeName } } = items[0];
  ask(`PATCH /api/v1/nodes/${nodeName}`, close);
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  assert.equal(ask(`POST ${path}/eviction`, {}).status, "Success");
  assert.match(ask(`GET ${path}`).metadata.deletionTimestamp, /^2026-03-01T/);
  pass(1_000);
  assert.equal(ask(`GET ${path}`).message, `pods "${name}" not found`);
  assert.equal(pods(dns).length, 2);
  pass(1_000);
  const now = ask(`GET /api/v1/pods?${dns}`).items;
  for (const pod of now) {
    assert.notEqual(pod.spec.nodeName, nodeName);
    assert.equal(pod.status.phase, "Running");
  }
});

Deno.test("a pod for which there is no node stays pending", async () => {
  const { ask, pass } = await openApi({ workers: 1 });
  ask("PATCH /api/v1/nodes/lab-worker-1", close);
  ask("POST /api/v1/namespaces/default/pods", { metadata: { name: "a" } });
  pass(10_000);
  const path = "/api/v1/namespaces/default/pods/a";
  const pending = ask(`GET ${path}`);
  assert.equal(pending.status.phase, "Pending");
  assert.equal(pending.spec?.nodeName, undefined);
  ask("PATCH /api/v1/nodes/lab-worker-1", { spec: { unschedulable: null } });
  pass(1_000);
  assert.equal(ask(`GET ${path}`).spec.nodeName, "lab-worker-1");
});

Deno.test("a pod does not go while its node is unavailable", async () => {
  const { ask, pass, nodes } = await openApi({ workers: 1 });
  const path = "/api/v1/namespaces/default/pods";
  ask(`POST ${path}`, webPod("a", "lab-worker-1"));
  pass(1_000);
  assert.equal(ask(`GET ${path}/a`).status.phase, "Running");
  nodes[1]!.boot.reachable = false;
  ask(`DELETE ${path}/a`);
  pass(60_000);
  assert.ok(ask(`GET ${path}/a`).metadata.deletionTimestamp);
  nodes[1]!.boot.reachable = true;
  assert.equal(ask(`GET ${path}/a`).code, 404);
});

Deno.test("pods are ready while their node is, and what manages them counts that", async () => {
  const { ask, pass, nodes } = await openApi({ workers: 1 });
  const path = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";
  const counts = () => {
    const { status } = ask(`GET ${path}`);
    return [status.desiredNumberScheduled, status.numberReady];
  };
  const available = () =>
    ask("GET /apis/apps/v1/namespaces/kube-system/deployments/coredns")
      .status.conditions[0].status;
  ask("GET /api/v1/nodes");
  pass(1_000);
  assert.deepEqual([counts(), available()], [[2, 2], "True"]);
  nodes[1]!.faults.set("kubelet-silent", {
    remaining: Infinity,
    triggered: false,
  });
  assert.deepEqual([counts(), available()], [[2, 1], "False"]);
  const { status } = ask("GET /api/v1/nodes/lab-worker-1");
  assert.equal(status.conditions[0].status, "Unknown");
  nodes[1]!.faults.delete("kubelet-silent");
  assert.deepEqual([counts(), available()], [[2, 2], "True"]);
});

Deno.test("objects are applied, dry runs change nothing, and what an object made goes with it", async () => {
  const { nodes } = await openApi({ workers: 1 });
  const api = createKubernetesApi(nodes[0]!.cluster, { now: () => noon });
  const path = "/apis/apps/v1/namespaces/default/deployments/web";
  const labels = { app: "web" };
  const deployment = {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "a", image: "a:1" }] },
      },
    },
  };
  const apply = (body: unknown, query: string, type = "apply-patch+yaml") =>
    api.request({
      method: "PATCH",
      path: `${path}?${query}`,
      body,
      contentType: `application/${type}`,
    });
  assert.equal(apply(deployment, "dryRun=All").code, 201);
  assert.equal(api.request({ method: "GET", path }).code, 404);
  assert.equal(apply(deployment, "fieldManager=a").code, 201);
  const containers = [{ name: "b", image: "b:1" }];
  const second = { spec: { template: { spec: { containers } } } };
  const merged = apply(second, "", "strategic-merge-patch+json").body as {
    spec: { template: { spec: { containers: unknown } } };
  };
  assert.deepEqual(merged.spec.template.spec.containers, [
    { name: "a", image: "a:1" },
    { name: "b", image: "b:1" },
  ]);
  assert.equal(apply([], "", "json-patch+json").code, 415);
  api.request({ method: "DELETE", path });
  const left = api.request({
    method: "GET",
    path: "/apis/apps/v1/namespaces/default/replicasets",
  }).body as { items: unknown[] };
  assert.deepEqual(left.items, []);
});

Deno.test("static pods are started again with what they are configured for", async () => {
  const { nodes, ask } = await openApi();
  const [node] = nodes;
  const path = "GET /api/v1/namespaces/kube-system/pods/kube-scheduler-" +
    node!.identity.hostname;
  const before = ask(path).metadata;
  assert.equal(before.annotations["talos.dev/config-version"], "1");
  const key = {
    namespace: "controlplane",
    type: "SchedulerConfigs.kubernetes.talos.dev",
    id: "kube-scheduler",
  };
  node!.boot.resources.put(key, { spec: { image: "x:2" } });
  const after = ask(path).metadata;
  assert.equal(
    after.annotations["talos.dev/config-version"],
    String(node!.boot.resources.get(key)?.version),
  );
});
