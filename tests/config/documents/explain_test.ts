import assert from "node:assert/strict";
import { explainPath, typeText } from "../../../config/documents/explain.ts";
import { ConfigError } from "../../../errors.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";

Deno.test("explainPath explains every field of every kind by its path", () => {
  let count = 0;
  function walk(path: string) {
    const { name, kind, summary, fields } = explainPath(path);
    assert.equal(name, path.split(".").at(-1));
    assert.notEqual(kind, "");
    assert.notEqual(summary, "");
    count++;
    for (const field of fields) walk(`${path}.${field.name}`);
  }
  for (const kind of documentKinds.keys()) walk(kind);
  assert.ok(count > 900, `${count}`);
});

Deno.test("explainPath keeps examples of secrets to itself", () => {
  const token = explainPath("machine.token");
  assert.equal(token.secret, true);
  assert.deepEqual(token.examples, []);
});

Deno.test("explainPath shows the document that takes the place of a deprecated field", () => {
  const { deprecated, examples } = explainPath("machine.network.interfaces");
  assert.equal(deprecated, "LinkConfig");
  const [first] = examples;
  assert.equal(first?.title, "LinkConfig, since 1.12: Static addresses");
  assert.match(first.yaml, /^apiVersion: v1alpha1\nkind: LinkConfig\n/);
});

Deno.test("typeText names types from the outside to the inside, what is in them in the plural", () => {
  assert.equal(
    typeText({ shape: "map", of: { shape: "list", of: { shape: "free" } } }),
    "map of lists of objects",
  );
  const texts = new Set<string>();
  function walk(path: string) {
    const { type, fields } = explainPath(path);
    texts.add(type);
    for (const field of fields) walk(`${path}.${field.name}`);
  }
  for (const kind of documentKinds.keys()) walk(kind);
  assert.deepEqual(
    [...texts].filter((text) => / of /.test(text)).toSorted(),
    [
      "list of CIDRs",
      "list of IP addresses",
      "list of URLs",
      "list of addresses and ports",
      "list of integers",
      "list of objects",
      "list of ports or ranges of ports",
      "list of strings",
      "map of booleans",
      "map of lists of strings",
      "map of objects",
      "map of strings",
    ],
  );
});

Deno.test("explainPath knows no field of what every object inherits", () => {
  for (const key of ["constructor", "__proto__", "toString"]) {
    for (const path of [key, `machine.${key}`, `LinkConfig.${key}`]) {
      assert.throws(() => explainPath(path), ConfigError, path);
    }
  }
});
