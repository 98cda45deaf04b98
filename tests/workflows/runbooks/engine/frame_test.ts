import assert from "node:assert/strict";
import {
  type Book,
  type Frame,
  groupIn,
  pathIn,
} from "../../../../workflows/runbooks/engine/frame.ts";
import { groupKey } from "../../../../workflows/runbooks/journal/history.ts";
import { demo } from "../store/_runs.ts";

const book: Book = {
  runbook: demo,
  path: "",
  inputs: {},
  vars: {},
  groups: new Map(),
};

const top: Frame = {
  book,
  path: "",
  entry: 1,
  outputs: new Map(),
  around: [],
  fresh: false,
  finishing: false,
  position: { carrying: false },
};

Deno.test("a path is that of the steps around and the id", () => {
  assert.equal(pathIn(top, "workers"), "workers");
  const inside = { ...top, path: "planes/each" };
  assert.equal(pathIn(inside, "restart"), "planes/each/restart");
});

Deno.test("a group of the runbook is found by its name", () => {
  assert.deepEqual(groupIn(top, "late").at, "entry");
  assert.throws(() => groupIn(top, "nobody"), {
    name: "TypeError",
    message: 'No group "nobody"',
  });
});

Deno.test("groups of the same name in different runbooks have different keys", () => {
  assert.equal(groupKey(book, "all"), "#all");
  assert.equal(groupKey({ path: "planes" }, "all"), "planes#all");
});
