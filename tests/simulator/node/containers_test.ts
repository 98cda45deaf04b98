import assert from "node:assert/strict";
import {
  containerLog,
  kubernetesContainers,
  systemContainers,
} from "../../../simulator/node/containers.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { bootedNodes } from "../_node.ts";

Deno.test("every pod is a sandbox with a container in it", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  const names = kubernetesContainers(controlPlane!).map(({ name, status }) =>
    `${name} ${status}`
  );
  assert.deepEqual(names.slice(0, 2), [
    "kube-system/kube-apiserver-lab-controlplane-1 SANDBOX_READY",
    "kube-apiserver CONTAINER_RUNNING",
  ]);
  assert.deepEqual([names.length, kubernetesContainers(worker!).length], [
    12,
    6,
  ]);
  const [sandbox, container] = kubernetesContainers(worker!);
  assert.equal(sandbox!.id, sandbox!.podId);
  assert.match(
    container!.id,
    /^kube-system\/kube-flannel-\w{5}:kube-flannel:[0-9a-f]{12}$/,
  );
});

Deno.test("nothing runs in Kubernetes without the kubelet", async () => {
  const [node] = await bootedNodes();
  stopService(node!, "kubelet");
  assert.deepEqual(kubernetesContainers(node!), []);
  assert.deepEqual(systemContainers(node!).map(({ id }) => id), [
    "apid",
    "trustd",
  ]);
});

Deno.test("a container has one log, and no other name has one", async () => {
  const [node] = await bootedNodes();
  const { id } = kubernetesContainers(node!)[1]!;
  const log = containerLog(node!, "k8s.io", id);
  assert.equal(log?.end(), 2);
  assert.equal(containerLog(node!, "k8s.io", id), log);
  assert.equal(containerLog(node!, "k8s.io", "nothing"), undefined);
  assert.equal(containerLog(node!, "moby", id), undefined);
});
