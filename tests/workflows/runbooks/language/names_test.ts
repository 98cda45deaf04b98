import assert from "node:assert/strict";
import * as names from "../../../../workflows/runbooks/language/names.ts";

const cases: readonly (readonly [
  name: keyof typeof names,
  right: readonly string[],
  wrong: readonly string[],
])[] = [
  ["runbookName", ["a", "node-upgrade2"], ["", "A", "a_b", "2a", "a/b"]],
  ["stepId", ["a", "canary-OK_2"], ["", "1a", "a.b", "a/b", "a@b"]],
  ["variableName", ["a", "_x", "drainTimeout"], ["", "a-b", "1a", "a.b"]],
  ["groupName", ["a", "gpu-a", "_x"], ["", "1a", "a b", "@all"]],
  ["dottedName", ["reboot", "etcd.snapshot", "a.b-c.d"], [
    "",
    ".a",
    "a.",
    "a..b",
    "a b",
  ]],
  ["tagName", ["start", "stale-snapshot"], ["", "a b", "a=b", "a,b"]],
  ["clockTime", ["00:00", "23:59"], ["24:00", "7:00", "12:60", "noon"]],
  ["timeZone", ["UTC", "Europe/Berlin"], ["Berlin", "", "Mars/Base"]],
  ["pattern", ["[a-z]+", ""], ["(", "[", "*"]],
  ["range", [">=1.0.0", ">1.0.0 <=2.0.0", "1.2.3"], [
    "",
    "1",
    "^1.0.0",
    ">= 1.0.0",
  ]],
];
for (const [name, right, wrong] of cases) {
  Deno.test(`${name} takes what it should, and nothing else`, () => {
    const shape = names[name];
    const fault = (text: string) =>
      shape.fault({ kind: "scalar", text, plain: false });
    assert.deepEqual(right.filter((text) => fault(text) !== undefined), []);
    assert.deepEqual(wrong.filter((text) => fault(text) === undefined), []);
  });
}
