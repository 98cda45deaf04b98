import assert from "node:assert/strict";
import {
  clusterImages,
  fullImageName,
  releaseImages,
} from "../../config/images.ts";

Deno.test("clusterImages lists what a cluster runs, with the version that was requested", () => {
  assert.deepEqual(clusterImages("1.33.4"), [
    "ghcr.io/siderolabs/flannel:v0.27.4",
    "registry.k8s.io/coredns/coredns:v1.14.2",
    "registry.k8s.io/etcd:v3.6.11",
    "registry.k8s.io/kube-apiserver:v1.33.4",
    "registry.k8s.io/kube-controller-manager:v1.33.4",
    "registry.k8s.io/kube-scheduler:v1.33.4",
    "registry.k8s.io/kube-proxy:v1.33.4",
    "ghcr.io/siderolabs/kubelet:v1.33.4",
    "registry.k8s.io/pause:3.10.1",
  ]);
  assert.equal(clusterImages()[3], "registry.k8s.io/kube-apiserver:v1.34.1");
});

Deno.test("releaseImages lists what a release is published as", () => {
  assert.deepEqual(releaseImages("v1.12.1"), [
    "ghcr.io/siderolabs/installer:v1.12.1",
    "ghcr.io/siderolabs/installer-base:v1.12.1",
    "ghcr.io/siderolabs/imager:v1.12.1",
    "ghcr.io/siderolabs/talos:v1.12.1",
    "ghcr.io/siderolabs/talosctl-all:v1.12.1",
    "ghcr.io/siderolabs/overlays:v1.12.1",
    "ghcr.io/siderolabs/extensions:v1.12.1",
  ]);
  assert.equal(
    releaseImages("v1.14.0")[0],
    "ghcr.io/siderolabs/installer-base:v1.14.0",
  );
});

Deno.test("image names are written in full as container runtimes list them", () => {
  const cases = [
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["grafana/grafana", "docker.io/grafana/grafana:latest"],
    ["docker.io/nginx", "docker.io/library/nginx:latest"],
    ["localhost/a", "localhost/a:latest"],
    ["10.0.0.1:5000/a/b:v1", "10.0.0.1:5000/a/b:v1"],
    ["registry.k8s.io/pause:3.10.1", "registry.k8s.io/pause:3.10.1"],
    ["quay.io/a/b@sha256:00", "quay.io/a/b@sha256:00"],
    ["nginx:1.27@sha256:00", "docker.io/library/nginx:1.27@sha256:00"],
  ] as const;
  for (const [given, full] of cases) assert.equal(fullImageName(given), full);
});
