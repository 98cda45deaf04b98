import assert from "node:assert/strict";
import {
  defaultContract,
  parseContract,
} from "../../../config/generate/contract.ts";
import { findImage } from "../../../config/generate/split_documents.ts";

Deno.test("images of Kubernetes have the version as their tag", () => {
  assert.equal(
    findImage("proxy", "1.31.0", defaultContract),
    "registry.k8s.io/kube-proxy:v1.31.0",
  );
  assert.deepEqual(
    ["v1.12", "v1.13", "v1.14"].map((version) =>
      findImage("apiServer", undefined, parseContract(version))
    ),
    ["1.35.4", "1.36.3", "1.37.0-rc.0"].map((version) =>
      `registry.k8s.io/kube-apiserver:v${version}`
    ),
  );
});

Deno.test("without a version there is no image", () => {
  assert.equal(findImage("scheduler", "", defaultContract), undefined);
});
