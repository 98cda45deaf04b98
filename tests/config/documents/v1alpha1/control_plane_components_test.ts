import assert from "node:assert/strict";
import { imageField } from "../../../../config/documents/v1alpha1/control_plane_components.ts";

Deno.test("imageField has the tag of the Kubernetes that new clusters get", () => {
  const image = "registry.example.com/kube-tool:v1.34.1";
  const { initial, examples } = imageField("registry.example.com/kube-tool");
  assert.deepEqual([initial, examples], [image, [{ value: image }]]);
});
