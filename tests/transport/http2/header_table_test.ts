import assert from "node:assert/strict";
import {
  DynamicTable,
  fieldSize,
  staticTable,
} from "../../../transport/http2/header_table.ts";

Deno.test("staticTable has the 61 fields everybody knows", () => {
  assert.equal(staticTable.length, 61);
  assert.deepEqual(staticTable[0], [":authority", ""]);
  assert.deepEqual(staticTable[15], ["accept-encoding", "gzip, deflate"]);
  assert.deepEqual(staticTable[60], ["www-authenticate", ""]);
});

Deno.test("a table forgets its oldest fields for new ones, and all for one that is too large", () => {
  const table = new DynamicTable(3 * 34);
  for (const name of ["a", "b", "c", "d"]) table.add([name, "1"]);
  assert.equal(fieldSize(["a", "1"]), 34);
  assert.deepEqual([0, 1, 2, 3].map((index) => table.at(index)?.[0]), [
    "d",
    "c",
    "b",
    undefined,
  ]);
  table.resize(34);
  assert.deepEqual([table.at(0)?.[0], table.at(1)], ["d", undefined]);
  table.add(["e", "x".repeat(3)]);
  assert.equal(table.at(0), undefined);
});

Deno.test("a table keeps no more than it holds, however much goes through it", () => {
  const table = new DynamicTable(34 * 10);
  for (let i = 0; i < 10_000; i++) table.add(["a", String(i % 10)]);
  assert.deepEqual(table.at(0), ["a", "9"]);
  assert.deepEqual(table.at(9), ["a", "0"]);
  assert.equal(table.at(10), undefined);
});
