import assert from "node:assert/strict";
import { testObjects } from "../../../../workflows/checks/health/e2e_objects.ts";

Deno.test("the pod of the tests has the image of the cluster's version, and never runs twice", () => {
  const objects = testObjects("v1.34.1");
  assert.deepEqual(objects.map(({ path }) => path.split("/").at(-1)), [
    "namespaces",
    "serviceaccounts",
    "clusterroles",
    "clusterrolebindings",
    "pods",
  ]);
  // deno-lint-ignore no-explicit-any
  const { spec } = objects[4]?.body as any;
  assert.equal(
    spec.containers[0].image,
    "registry.k8s.io/conformance:v1.34.1",
  );
  assert.equal(spec.restartPolicy, "Never");
  const [focus] = spec.containers[0].env;
  assert.equal(focus.name, "E2E_FOCUS");
  assert.equal(focus.value.split("|").length, 3);
});
