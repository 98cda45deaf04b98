import assert from "node:assert/strict";
import { imageOf } from "../../../config/generate/image.ts";

Deno.test("images of Kubernetes have the version as their tag", () => {
  assert.equal(
    imageOf("proxy", "1.31.0"),
    "registry.k8s.io/kube-proxy:v1.31.0",
  );
  assert.equal(imageOf("apiServer"), "registry.k8s.io/kube-apiserver:v1.34.1");
});

Deno.test("without a version there is no image", () => {
  assert.equal(imageOf("scheduler", ""), undefined);
});
