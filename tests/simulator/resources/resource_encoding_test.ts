import assert from "node:assert/strict";
import { encodeResource } from "../../../simulator/resources/resource_encoding.ts";

const key = { namespace: "n", type: "T.x", id: "i" };

Deno.test("a resource is written with its times, labels and a spec in YAML", () => {
  const { metadata, spec } = encodeResource({
    ...key,
    spec: { b: [1], a: "x: y" },
    version: 3,
    created: 1500,
    updated: 2000,
    labels: { l: "v" },
  });
  assert.deepEqual([metadata?.version, metadata?.phase, metadata?.labels], [
    "3",
    "running",
    { l: "v" },
  ]);
  assert.deepEqual(metadata?.created, { seconds: 1n, nanos: 500_000_000 });
  assert.equal(spec?.yamlSpec, 'b:\n    - 1\na: "x: y"\n');
});

Deno.test("text is a block, and what does not exist has no spec", () => {
  const text = encodeResource({
    ...key,
    spec: "a: 1\nb: 2\n",
    version: 1,
    created: 0,
    updated: 0,
  });
  assert.equal(text.spec?.yamlSpec, "|\n    a: 1\n    b: 2\n");
  const gone = encodeResource({
    ...key,
    spec: undefined,
    version: 0,
    created: 0,
    updated: 0,
  });
  assert.deepEqual([gone.metadata?.version, gone.spec?.yamlSpec], [
    "undefined",
    "",
  ]);
});

Deno.test("what is twice in a spec is written twice", () => {
  const twice = ["a"];
  const { spec } = encodeResource({
    ...key,
    spec: { one: twice, two: twice },
    version: 1,
    created: 0,
    updated: 0,
  });
  assert.equal(spec?.yamlSpec, "one:\n    - a\ntwo:\n    - a\n");
});
