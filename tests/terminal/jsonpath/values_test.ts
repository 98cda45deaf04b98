import assert from "node:assert/strict";
import { readPath } from "../../../terminal/jsonpath/path.ts";
import {
  NotFound,
  startIn,
  valuesAt,
} from "../../../terminal/jsonpath/values.ts";

const document = {
  name: "n1",
  size: 5n,
  labels: { "k8s.io/zone": "a", plain: "" },
  disks: [
    { dev: "sda", gib: 10, system: true },
    { dev: "sdb", gib: 200 },
    { dev: "sdc", gib: 30, note: null },
  ],
  nested: { deep: { dev: "loop0" } },
  absent: undefined,
};

function values(path: string, strict = true): readonly unknown[] {
  return valuesAt(
    readPath({ source: path, at: 0 }),
    startIn(document, strict),
  );
}

Deno.test("valuesAt follows fields, places and keys with dots", () => {
  assert.deepEqual(values(".name"), ["n1"]);
  assert.deepEqual(values(".disks[0].dev"), ["sda"]);
  assert.deepEqual(values(".disks[-1].dev"), ["sdc"]);
  assert.deepEqual(values(".labels.k8s\\.io/zone"), ["a"]);
  assert.deepEqual(values(".labels['k8s.io/zone']"), ["a"]);
  assert.deepEqual(values("['nested.deep.dev']"), ["loop0"]);
  assert.deepEqual(values("$"), [document]);
});

Deno.test("valuesAt follows wildcards, slices and unions in order", () => {
  assert.deepEqual(values(".disks[*].dev"), ["sda", "sdb", "sdc"]);
  assert.deepEqual(values(".labels.*"), ["a", ""]);
  assert.deepEqual(values(".disks[:2].dev"), ["sda", "sdb"]);
  assert.deepEqual(values(".disks[-2:].dev"), ["sdb", "sdc"]);
  assert.deepEqual(values(".disks[::2].dev"), ["sda", "sdc"]);
  assert.deepEqual(values(".disks[0,2].dev"), ["sda", "sdc"]);
  assert.deepEqual(values(".disks[1]['gib','dev']"), [200, "sdb"]);
});

Deno.test("valuesAt descends to every depth", () => {
  assert.deepEqual(values("..dev"), ["sda", "sdb", "sdc", "loop0"]);
  assert.deepEqual(values("..deep.dev"), ["loop0"]);
});

Deno.test("valuesAt filters by conditions", () => {
  const devices = (test: string) => values(`.disks[?(${test})].dev`, false);
  assert.deepEqual(devices('@.dev=="sdb"'), ["sdb"]);
  assert.deepEqual(devices("@.dev != 'sdb'"), ["sda", "sdc"]);
  assert.deepEqual(devices("@.gib > 10"), ["sdb", "sdc"]);
  assert.deepEqual(devices("@.gib <= 10"), ["sda"]);
  assert.deepEqual(devices("@.gib >= 10 && @.gib < 100"), ["sda", "sdc"]);
  assert.deepEqual(devices("@.gib > $.size"), ["sda", "sdb", "sdc"]);
  assert.deepEqual(devices("@.system"), ["sda"]);
  assert.deepEqual(devices("@.system == true || @.gib == 30"), ["sda", "sdc"]);
  assert.deepEqual(devices("!(@.system || @.gib == 30)"), ["sdb"]);
  assert.deepEqual(devices("@.note == null"), ["sdc"]);
  assert.deepEqual(devices('@.dev > "sda"'), ["sdb", "sdc"]);
});

Deno.test("valuesAt finds no order between values of different types", () => {
  assert.deepEqual(values('.disks[?(@.gib > "5")].dev', false), []);
  assert.deepEqual(values('.disks[?(@.gib == "10")].dev', false), []);
});

Deno.test("valuesAt raises what is missing only in a strict place", () => {
  assert.throws(() => values(".nothing"), NotFound);
  assert.throws(() => values(".nothing"), { message: "nothing is not found" });
  assert.throws(() => values(".disks[3]"), { message: "[3] is not found" });
  assert.throws(() => values(".absent"), { message: "absent is not found" });
  assert.throws(() => values(".toString"), NotFound);
  assert.deepEqual(values(".nothing.more", false), []);
  assert.deepEqual(values(".disks[3]", false), []);
});

Deno.test("valuesAt finds nothing below nothing, even in a strict place", () => {
  assert.deepEqual(values(".disks[?(@.gib > 999)].dev"), []);
});
