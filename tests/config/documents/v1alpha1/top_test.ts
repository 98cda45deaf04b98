import assert from "node:assert/strict";
import { documentKinds } from "../../../../config/documents/kinds.ts";
import { v1alpha1 } from "../../../../config/documents/v1alpha1/top.ts";
import { fieldsIn } from "./_fields.ts";

const all = [...fieldsIn(v1alpha1.fields)];

Deno.test("v1alpha1 is a kind of which there is one, without a name", () => {
  assert.equal(documentKinds.get("v1alpha1"), v1alpha1);
  assert.equal(v1alpha1.named, false);
  assert.equal(v1alpha1.since, undefined);
});

Deno.test("v1alpha1 says in one short sentence what each key means", () => {
  const wrong = all.filter(({ field: { summary } }) =>
    summary.length < 3 || summary.length > 100 || summary.endsWith(".") ||
    !/^(\p{Lu}|etcd)/u.test(summary)
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("v1alpha1 has an example for whatever is not plain", () => {
  const obvious = (path: string) =>
    /\.(crt|key)$/.test(path) || path === "machine.install.diskSelector.name";
  const missing = all.filter(({ path, field, old }) =>
    field.examples === undefined && !old && !obvious(path) &&
    !(field.shape.shape === "scalar" && field.shape.name === "boolean")
  );
  assert.deepEqual(missing.map(({ path }) => path), []);
});

Deno.test("v1alpha1 has no examples of what should not be used any more", () => {
  const superfluous = all.filter(({ field, old }) =>
    old && field.examples !== undefined
  );
  assert.deepEqual(superfluous.map(({ path }) => path), []);
});
