import assert from "node:assert/strict";
import { book, mistakes } from "./_finders.ts";

Deno.test("mistakes of all kinds are told at once, from top to bottom", async () => {
  const text = book(
    "inputs: { x: { type: enum } }",
    "groups: { a: { from: b } }",
    "steps:",
    "  - { id: s, run: etcd.stats }",
    "  - { id: t, forEach: c, steps: [{ id: u, sleep: 5 }] }",
  );
  assert.deepEqual(await mistakes(text), [
    'a.yaml:5:22: Input "x": Type "enum" has no words (List them under values)',
    'a.yaml:6:22: There is no group "b" (Did you mean "a"?)',
    'a.yaml:8:19: There is no module "etcd.stats" (Did you mean "etcd.status"?)',
    'a.yaml:9:23: There is no group "c" (Did you mean "a"?)',
    "a.yaml:9:50: 5 has no unit (Give a duration such as 90s or 1h30m)",
  ]);
});
