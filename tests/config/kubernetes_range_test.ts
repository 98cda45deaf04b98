import assert from "node:assert/strict";
import {
  kubernetesProblem,
  kubernetesRange,
} from "../../config/kubernetes_range.ts";

Deno.test("each minor version supports its range of Kubernetes; of others nothing is said", () => {
  const range = (system: string) => {
    const { oldest, newest } = kubernetesRange(system) ?? {};
    return [oldest, newest];
  };
  assert.deepEqual(range("v1.8.4"), [26, 31]);
  assert.deepEqual(range("v1.12.11"), [30, 35]);
  assert.deepEqual(range("v1.13.0-beta.1"), [31, 36]);
  assert.deepEqual(range("1.14.1"), [32, 37]);
  assert.deepEqual(range("v1.99.0"), [undefined, undefined]);
  assert.deepEqual(range("v2.12.0"), [undefined, undefined]);
});

Deno.test("Kubernetes is too old or too new for a version, ends included", () => {
  for (const kubernetes of ["v1.31.0", "v1.36.9", "", "latest"]) {
    assert.equal(kubernetesProblem(kubernetes, "v1.13.2"), undefined);
  }
  assert.equal(kubernetesProblem("v1.10.0", "v1.99.0"), undefined);
  const range = "for v1.13.2, which supports v1.31 to v1.36";
  for (
    const [kubernetes, is] of [
      ["v1.30.14", "old"],
      ["v0.40.0", "old"],
      ["v1.37.0", "new"],
      ["v2.0.0", "new"],
    ] as const
  ) {
    assert.equal(
      kubernetesProblem(kubernetes, "v1.13.2"),
      `Kubernetes ${kubernetes} is too ${is} ${range}`,
    );
  }
});
