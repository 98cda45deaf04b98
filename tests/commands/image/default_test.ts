import assert from "node:assert/strict";
import { run } from "../../_run.ts";

const bundle = `ghcr.io/siderolabs/flannel:v0.27.4
registry.k8s.io/coredns/coredns:v1.14.2
registry.k8s.io/etcd:v3.6.11
registry.k8s.io/kube-apiserver:v1.34.1
registry.k8s.io/kube-controller-manager:v1.34.1
registry.k8s.io/kube-scheduler:v1.34.1
registry.k8s.io/kube-proxy:v1.34.1
ghcr.io/siderolabs/kubelet:v1.34.1
registry.k8s.io/pause:3.10.1
`;

Deno.test("image default lists one image a line, also by its older names", async () => {
  for (
    const line of [
      "image default",
      "image k8s-bundle",
      "images",
      "images default",
    ]
  ) {
    assert.equal((await run(line)).out, bundle, line);
  }
});

Deno.test("image default takes the flag of all commands for images, which changes nothing", async () => {
  for (
    const line of [
      "image default --namespace system",
      "image --namespace cri default",
    ]
  ) {
    assert.equal((await run(line)).out, bundle, line);
  }
  const { err, status } = await run("image default --namespace other");
  assert.match(err, /--namespace/);
  assert.equal(status, 2);
});

Deno.test("image default lists those of another release", async () => {
  const { out } = await run("image default --os-version v1.14");
  assert.equal(
    out,
    `ghcr.io/siderolabs/flannel:0.28.9
registry.k8s.io/coredns/coredns:v1.14.6
registry.k8s.io/etcd:3.7.1
registry.k8s.io/kube-apiserver:v1.37.0-rc.0
registry.k8s.io/kube-controller-manager:v1.37.0-rc.0
registry.k8s.io/kube-scheduler:v1.37.0-rc.0
registry.k8s.io/kube-proxy:v1.37.0-rc.0
ghcr.io/siderolabs/kubelet:v1.37.0-rc.0
registry.k8s.io/pause:3.10.2
registry.k8s.io/networking/kube-network-policies:v1.1.1
`,
  );
  const both = "--os-version v1.14 --kubernetes-version 1.36.0";
  const older = await run(`image default ${both}`);
  assert.match(older.out, /kube-proxy:v1.36.0\n/);
  assert.match(older.out, /etcd:3.7.1\n/);
});

Deno.test("image default lists those of another version of Kubernetes", async () => {
  const { out } = await run("image default --kubernetes-version v1.33.4-rc.1");
  assert.match(out, /^ghcr.io\/siderolabs\/kubelet:v1.33.4-rc.1$/m);
});

Deno.test("image default takes a version for each component", async () => {
  const versions =
    "--k8s-version v1.36.2 --etcd-version 3.7.0 --flannel-version v0.27.9 --coredns-version v1.14.5 --kube-network-policies-version v1.1.2";
  const { out } = await run(`image k8s-bundle ${versions}`);
  assert.equal(
    out,
    `ghcr.io/siderolabs/flannel:v0.27.9
registry.k8s.io/coredns/coredns:v1.14.5
registry.k8s.io/etcd:3.7.0
registry.k8s.io/kube-apiserver:v1.36.2
registry.k8s.io/kube-controller-manager:v1.36.2
registry.k8s.io/kube-scheduler:v1.36.2
registry.k8s.io/kube-proxy:v1.36.2
ghcr.io/siderolabs/kubelet:v1.36.2
registry.k8s.io/pause:3.10.1
registry.k8s.io/networking/kube-network-policies:v1.1.2
`,
  );
});

Deno.test("image default refuses what is not a version", async () => {
  const { err, status } = await run(
    "image default --kubernetes-version latest",
  );
  assert.match(err, /--kubernetes-version.*must be a version such as 1.34.1/);
  assert.equal(status, 2);
});
