import assert from "node:assert/strict";
import { readManifest } from "../../../config/inject/manifest.ts";
import { objectsOf, podPaths } from "../../../config/inject/workload.ts";

function objects(text: string): unknown[] {
  const manifest = readManifest(text);
  if ("fault" in manifest) throw new Error(manifest.fault);
  return objectsOf(manifest.value).map(({ value: _, ...object }) => object);
}

Deno.test("objectsOf finds the object of a document", () => {
  assert.deepEqual(
    objects("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}}"),
    [{
      path: [],
      type: "v1/Pod",
      kind: "Pod",
      name: "p",
      namespace: "n",
      list: undefined,
    }],
  );
});

Deno.test("objectsOf finds the objects of lists in lists", () => {
  const found = objects(`
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: A}
- apiVersion: v1
  kind: List
  items: [{apiVersion: v1, kind: B, metadata: {name: b}}]
- 12
`);
  const plain = { namespace: "" };
  assert.deepEqual(found, [
    {
      ...plain,
      path: ["items", 0],
      type: "v1/A",
      kind: "A",
      name: undefined,
      list: [],
    },
    {
      ...plain,
      path: ["items", 1, "items", 0],
      type: "v1/B",
      kind: "B",
      name: "b",
      list: ["items", 1],
    },
  ]);
});

Deno.test("objectsOf knows what the items of a typed list are", () => {
  const found = objects(`
apiVersion: apps/v1
kind: DeploymentList
items:
- metadata: {name: a}
- {apiVersion: v1, kind: Pod, metadata: {name: b}}
`);
  const plain = { namespace: "", list: undefined };
  assert.deepEqual(found, [
    {
      ...plain,
      path: ["items", 0],
      type: "apps/v1/Deployment",
      kind: "Deployment",
      name: "a",
    },
    { ...plain, path: ["items", 1], type: "v1/Pod", kind: "Pod", name: "b" },
  ]);
});

Deno.test("objectsOf passes over what is no object", () => {
  for (
    const text of ["", "a", "[a]", "kind: Pod", "{apiVersion: 1, kind: a}"]
  ) {
    assert.deepEqual(objects(text), [], text);
  }
});

Deno.test("objectsOf takes no number for a name", () => {
  const [found] = objects("{apiVersion: v1, kind: P, metadata: {name: 12}}");
  assert.deepEqual(found, {
    path: [],
    type: "v1/P",
    kind: "P",
    name: undefined,
    namespace: "",
    list: undefined,
  });
});

Deno.test("podPaths knows six types", () => {
  assert.deepEqual(
    [...podPaths].map(([type, path]) => [type, path.join(".")]),
    [
      ["v1/Pod", "spec"],
      ["apps/v1/Deployment", "spec.template.spec"],
      ["apps/v1/StatefulSet", "spec.template.spec"],
      ["apps/v1/DaemonSet", "spec.template.spec"],
      ["batch/v1/Job", "spec.template.spec"],
      ["batch/v1/CronJob", "spec.jobTemplate.spec.template.spec"],
    ],
  );
});
