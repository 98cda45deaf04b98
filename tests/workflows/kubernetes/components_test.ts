import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import {
  readComponent,
  withImage,
} from "../../../workflows/kubernetes/components.ts";
import { fakeNodes } from "../../_fake.ts";

/** As nodes write it. */
function toText(text: string): string {
  return encodeDocuments(loadDocuments(text, "test").documents);
}

Deno.test("newer configurations have a document for each component", () => {
  const text = toText(`machine:
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
