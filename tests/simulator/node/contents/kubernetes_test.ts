import assert from "node:assert/strict";
import {
  kubernetesContents,
  registrationContents,
  staticPodContents,
  staticPodImage,
} from "../../../../simulator/node/contents/kubernetes.ts";
import { machineConfig } from "../../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../../simulator/node/live_configuration.ts";
import { bootedNodes } from "../../_node.ts";

Deno.test("only control planes know of etcd", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  const types = (node: typeof controlPlane) =>
    new Set(kubernetesContents(node!).map(({ type }) => type));
  assert.deepEqual([...types(worker)], [
    "Nodenames.kubernetes",
    "NodeIPs.kubernetes",
    "KubeletSpecs.kubernetes",
    "KubePrismStatuses.kubernetes",
  ]);
  assert.deepEqual([...types(controlPlane)].slice(4), [
    "EtcdSpecs.etcd",
    "APIServerConfigs.kubernetes",
    "ControllerManagerConfigs.kubernetes",
    "SchedulerConfigs.kubernetes",
  ]);
  assert.deepEqual(
    [...new Set(staticPodContents(controlPlane!).map(({ type }) => type))],
    [
      "StaticPods.kubernetes",
      "StaticPodStatuses.kubernetes",
      "Manifests.kubernetes",
      "ManifestStatuses.kubernetes",
    ],
  );
  assert.deepEqual(registrationContents(worker!).map(({ id }) => id), [
    "lab-worker-1",
  ]);
  assert.equal(
    staticPodImage(controlPlane!, "kube-proxy"),
    "registry.k8s.io/kube-proxy:v1.34.1",
  );
});

Deno.test("control planes list what they put into Kubernetes", async () => {
  const [node] = await bootedNodes();
  const contents = staticPodContents(node!);
  assert.deepEqual(
    contents.find(({ id }) => id === "10-kube-proxy")?.spec,
    {
      items: [
        {
          apiVersion: "apps/v1",
          kind: "DaemonSet",
          metadata: {
            name: "kube-proxy",
            namespace: "kube-system",
            labels: { "k8s-app": "kube-proxy" },
          },
          spec: {
            selector: { matchLabels: { "k8s-app": "kube-proxy" } },
            template: {
              metadata: { labels: { "k8s-app": "kube-proxy" } },
              spec: {
                hostNetwork: true,
                containers: [{
                  name: "kube-proxy",
                  image: "registry.k8s.io/kube-proxy:v1.34.1",
                }],
              },
            },
          },
        },
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "kube-proxy", namespace: "kube-system" },
        },
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: "kube-proxy" },
        },
      ],
    },
  );
});

Deno.test("the image of a component is that of the configuration", async () => {
  const [node] = await bootedNodes();
  const text = machineConfig(node!);
  const newer = text.replaceAll("kube-apiserver:v1.34.1", "kube-apiserver:v9");
  assert.notEqual(newer, text);
  await applyLive(node!, newer);
  const images = kubernetesContents(node!).map(({ spec }) =>
    (spec as { image?: string }).image
  );
  assert.deepEqual(images.slice(-3), [
    "registry.k8s.io/kube-apiserver:v9",
    "registry.k8s.io/kube-controller-manager:v1.34.1",
    "registry.k8s.io/kube-scheduler:v1.34.1",
  ]);
});

Deno.test("a static pod is ready since the boot", async () => {
  const [node] = await bootedNodes();
  const status = staticPodContents(node!).find(({ id }) =>
    id === "kube-system/kube-scheduler-lab-controlplane-1"
  )!;
  const { conditions } = status.spec as { conditions: unknown[] };
  assert.deepEqual(conditions[1], {
    type: "Ready",
    status: "True",
    lastTransitionTime: "2026-03-01T12:00:00Z",
  });
});
