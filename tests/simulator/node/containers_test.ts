import assert from "node:assert/strict";
import {
  containerLog,
  kubernetesContainers,
  systemContainers,
} from "../../../simulator/node/containers.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { createKubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { bootedNodes, noon } from "../_node.ts";

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

Deno.test("containers are those of the pods that Kubernetes has put on the node", async () => {
  const [, worker] = await bootedNodes({ workers: 1 });
  const { cluster } = worker!;
  cluster.kubernetesApi = createKubernetesApi(cluster, { now: () => noon });
  const { request } = cluster.kubernetesApi;
  const shown = () =>
    kubernetesContainers(worker!)
      .filter(({ status }) => status === "CONTAINER_RUNNING")
      .map(({ podId, name, image, networkNamespace }) =>
        [podId, name, image, networkNamespace === "" ? "host" : "own"]
          .join(" ").replaceAll(/^(\S+)-\w{5} /g, "$1-… ")
      );
  request({
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: {
      metadata: { name: "web" },
      spec: {
        nodeName: worker!.identity.hostname,
        containers: [{ name: "nginx", image: "nginx:1" }],
      },
    },
  });
  assert.deepEqual(shown().filter((line) => !line.includes("coredns")), [
    "kube-system/kube-flannel-… kube-flannel ghcr.io/siderolabs/flannel:v0.27.4 host",
    "kube-system/kube-proxy-… kube-proxy registry.k8s.io/kube-proxy:v1.34.1 host",
    "default/web nginx nginx:1 own",
  ]);
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
