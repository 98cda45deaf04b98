import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../simulator/node/live_configuration.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { hasApiServer } from "../../../simulator/kubernetes/availability.ts";
import assert from "node:assert/strict";
import { openApi } from "./_api.ts";

Deno.test("every cluster has static pods, pods on every node, and two name servers", async () => {
  const { pods, ask } = await openApi({ workers: 1 });
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
  const { ask, pass } = await openApi();
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

Deno.test("a static pod whose configuration changes takes its time, and its API server does not answer meanwhile", async () => {
  const { nodes: [node], ask, pass } = await openApi();
  assert.ok(node);
  node.pace = { ...node.pace, podMs: 3_000 };
  const name = `kube-apiserver-${node.identity.hostname}`;
  const pod = `GET /api/v1/namespaces/kube-system/pods/${name}`;
  const state = () => [ask(pod).status.phase, hasApiServer(node)];
  let patch = 1;
  const change = () => {
    const text = machineConfig(node);
    const [, image = ""] = /image: (\S+kube-apiserver:\S+)/.exec(text) ?? [];
    const other = image.replace(/\.\d+$/, `.${++patch}`);
    return applyLive(node, text.replaceAll(image, other));
  };
  assert.deepEqual(state(), ["Running", true]);
  await change();
  // The clock of the API goes on, that of the node stands still.
  assert.deepEqual(state(), ["Pending", false]);
  pass(3_000);
  node.kubernetes.servesFrom -= 3_000;
  assert.deepEqual(state(), ["Running", true]);
  await setFault(node, "static-pod-fails");
  await change();
  assert.deepEqual(state(), ["Pending", false]);
  pass(60_000);
  node.kubernetes.servesFrom -= 60_000;
  assert.deepEqual(state(), ["Pending", false]);
  await setFault(node, "static-pod-fails", false);
  assert.deepEqual(state(), ["Running", true]);
});
