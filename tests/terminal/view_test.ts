import assert from "node:assert/strict";
import {
  bytes,
  headedTable,
  lines,
  table,
  textual,
} from "../../terminal/view.ts";

Deno.test("table leaves three spaces between columns unless told", () => {
  assert.equal(table({}).gap, 3);
  assert.equal(table({}, 2).gap, 2);
});

Deno.test("headedTable knows its header without rows", () => {
  const view = headedTable<string>({ A: (row) => row, B: () => "" });
  assert.deepEqual(view.emptyHeader, ["A", "B"]);
  assert.equal(table({ A: () => "" }).emptyHeader, undefined);
});

Deno.test("lines ends every row", () => {
  assert.equal(lines<string>((row) => row).render("a", true), "a\n");
});

Deno.test("textual adds nothing", () => {
  assert.equal(textual<string>((row) => row).render("a", false), "a");
});

Deno.test("bytes says that rows are bytes", () => {
  assert.deepEqual(bytes(), { kind: "bytes" });
});
