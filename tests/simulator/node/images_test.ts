import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  imageReference,
  imagesIn,
  parseImageName,
  pullImage,
  storeOfInstance,
  storeOfNamespace,
} from "../../../simulator/node/images.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { bootedNode } from "../_node.ts";

Deno.test("a node has the images of what it runs", async () => {
  const node = await bootedNode();
  const tagged = async (place: "cri/system" | "cri/k8s.io" | "system/system") =>
    [...(await imagesIn(node, place)).keys()].filter((name) =>
      !name.includes("sha256:")
    ).sort();
  assert.deepEqual(await tagged("cri/system"), [
    "ghcr.io/siderolabs/kubelet:v1.34.1",
    "registry.k8s.io/etcd:v3.6.11",
  ]);
  assert.deepEqual(await tagged("system/system"), []);
  assert.deepEqual(await tagged("cri/k8s.io"), [
    "ghcr.io/siderolabs/flannel:v0.27.4",
    "registry.k8s.io/coredns/coredns:v1.14.2",
    "registry.k8s.io/kube-apiserver:v1.34.1",
    "registry.k8s.io/kube-controller-manager:v1.34.1",
    "registry.k8s.io/kube-proxy:v1.34.1",
    "registry.k8s.io/kube-scheduler:v1.34.1",
    "registry.k8s.io/pause:3.10.1",
  ]);
});

Deno.test("an image is pulled once, and has three names", async () => {
  const node = await bootedNode();
  const first = await pullImage(node, "system/system", "tool:1", "Pull");
  const { digest } = first.image;
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual([first.isNew, first.pinned, first.image.source], [
    true,
    `docker.io/library/tool@${digest}`,
    "docker.io/library/tool:1",
  ]);
  assert.deepEqual([...(await imagesIn(node, "system/system")).keys()], [
    "docker.io/library/tool:1",
    `docker.io/library/tool@${digest}`,
    digest,
  ]);
  const again = await pullImage(node, "system/system", first.pinned, "Pull");
  assert.deepEqual([again.isNew, again.image], [false, first.image]);
});

Deno.test("what no registry has is not found, in the node's words", async () => {
  const node = await bootedNode();
  await setFault(node, "image-missing");
  await assert.rejects(
    pullImage(node, "cri/k8s.io", "tool:1", "Pull"),
    new RpcError(
      "NOT_FOUND",
      '1 error(s) occurred:\n\tfailed to pull image "docker.io/library/tool:1": failed to resolve reference "docker.io/library/tool:1": docker.io/library/tool:1: not found',
    ),
  );
  // What is there is not pulled.
  const { isNew } = await pullImage(
    node,
    "cri/k8s.io",
    "registry.k8s.io/pause:3.10.1",
    "Pull",
  );
  assert.equal(isNew, false);
});

const digest = `sha256:${"0".repeat(64)}`;

Deno.test("names of images are read in full", () => {
  const full = (text: string) => {
    const name = parseImageName(text);
    return name && imageReference(name);
  };
  assert.deepEqual(
    [
      "nginx",
      "user/tool:1.2",
      "localhost/tool",
      "HOST/tool",
      "host:5000/a/b-c:v1",
      `quay.io/a/b:v1@${digest}`,
    ].map(full),
    [
      "docker.io/library/nginx:latest",
      "docker.io/user/tool:1.2",
      "localhost/tool:latest",
      "HOST/tool:latest",
      "host:5000/a/b-c:v1",
      `quay.io/a/b@${digest}`,
    ],
  );
});

Deno.test("what is no name of an image is none", () => {
  for (const text of ["", "UPPER", "a b", "x@sha256:12", "a//b", ":v1"]) {
    assert.equal(parseImageName(text), undefined, text);
  }
});

Deno.test("a namespace is one of the runtime of Kubernetes", () => {
  assert.equal(storeOfNamespace(Namespace.NS_CRI), "cri/k8s.io");
  assert.equal(storeOfNamespace(Namespace.NS_SYSTEM), "cri/system");
});

Deno.test("an instance is a runtime and a namespace", () => {
  const place = (driver: Driver, namespace: Namespace) =>
    storeOfInstance({ driver, namespace });
  assert.equal(place(Driver.CRI, Namespace.NS_CRI), "cri/k8s.io");
  assert.equal(place(Driver.CRI, Namespace.NS_SYSTEM), "cri/system");
  assert.equal(place(Driver.CONTAINERD, Namespace.NS_SYSTEM), "system/system");
  assert.throws(() => place(7 as Driver, Namespace.NS_CRI), {
    code: "INVALID_ARGUMENT",
    message: "invalid containerd driver 7",
  });
});
