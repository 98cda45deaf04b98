import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import {
  configuredImage,
  imageVersion,
  readComponent,
  targetImage,
  withImage,
} from "../../../workflows/kubernetes/components.ts";
import { fakeNodes } from "../../_fake.ts";

const keep = { repository: "keep", version: "1.35.0" };

Deno.test("an image keeps its registry, path and variant at another version", () => {
  const rows: readonly [before: string, after: string][] = [
    ["registry.k8s.io/kubelet:v1.34.1", "registry.k8s.io/kubelet:v1.35.0"],
    ["registry:5000/a/kubelet:v1.34.1", "registry:5000/a/kubelet:v1.35.0"],
    ["registry:5000/a/kubelet", "registry:5000/a/kubelet:v1.35.0"],
    ["r.example/kubelet:v1.34.1-fat", "r.example/kubelet:v1.35.0-fat"],
    ["r.example/kubelet:v1@sha256:aa", "r.example/kubelet:v1.35.0"],
    ["", "ghcr.io/siderolabs/kubelet:v1.35.0"],
  ];
  for (const [before, after] of rows) {
    assert.equal(targetImage("kubelet", before, keep), after);
  }
  const other = { repository: "mirror.example/k", version: "v1.35.0" };
  assert.equal(
    targetImage("kubelet", "a/kubelet:v1.34.1-slim", other),
    "mirror.example/k:v1.35.0-slim",
  );
});

Deno.test("the version of an image is its tag without a variant", () => {
  assert.equal(imageVersion("r:5000/kubelet:v1.35.0-fat@sha256:aa"), "v1.35.0");
  assert.equal(imageVersion("kubelet:v1.36.0-rc.1-slim"), "v1.36.0-rc.1");
  assert.equal(imageVersion("r:5000/kubelet"), "");
});

/** As nodes write it. */
function written(text: string): string {
  return encodeDocuments(loadDocuments(text, "test").documents);
}

const old = written(`# Kept.
machine:
    type: controlplane
    kubelet: {}
cluster:
    apiServer:
        image: r/kube-apiserver:v1 # kept
        extraArgs:
            v: "2"
`);

Deno.test("a component gets its image where the configuration has it, and nothing else changes", () => {
  assert.equal(
    withImage(old, "kube-apiserver", "r/kube-apiserver:v2"),
    old.replace("kube-apiserver:v1", "kube-apiserver:v2"),
  );
  assert.equal(withImage(old, "kube-apiserver", "r/kube-apiserver:v1"), old);
  const added = withImage(old, "kube-scheduler", "r/kube-scheduler:v2");
  const { documents } = loadDocuments(added, "test");
  assert.equal(
    configuredImage(documents, "kube-scheduler"),
    "r/kube-scheduler:v2",
  );
  assert.equal(
    configuredImage(documents, "kube-apiserver"),
    "r/kube-apiserver:v1",
  );
});

Deno.test("newer configurations have a document for each component", () => {
  const text = written(`machine:
    type: controlplane
---
apiVersion: v1alpha1
kind: KubeletConfig
image: r/kubelet:v1
`);
  assert.equal(
    withImage(text, "kubelet", "r/kubelet:v2"),
    text.replace("kubelet:v1", "kubelet:v2"),
  );
  assert.throws(
    () =>
      withImage(
        "apiVersion: v1alpha1\nkind: KubeletConfig\n",
        "kube-proxy",
        "r/p:v2",
      ),
    { message: "The node's configuration has no main document" },
  );
});

Deno.test("components: generated values carry the version of the resource", async () => {
  const { nodes } = fakeNodes({
    a: {
      get: ({ id, type }) => ({
        resource: {
          metadata: { version: "7", updated: { seconds: 5n, nanos: 0 } },
          spec: { yamlSpec: `image: r/${id}:v1\ntype: ${type}` },
        },
      }),
    },
  });
  const client = await nodes.at("a");
  assert.deepEqual(await readComponent(client, "kube-scheduler"), {
    image: "r/kube-scheduler:v1",
    resourceVersion: "7",
    changedAt: 5000,
  });
  assert.equal(await readComponent(client, "kube-proxy"), undefined);
});
