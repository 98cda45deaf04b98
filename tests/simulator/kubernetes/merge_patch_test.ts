import assert from "node:assert/strict";
import {
  mergePatch,
  withRemovals,
} from "../../../simulator/kubernetes/merge_patch.ts";

Deno.test("mergePatch merges maps, replaces everything else, and removes what is null", () => {
  assert.deepEqual(
    mergePatch(
      { a: { b: 1, c: 2 }, list: [1, 2], text: "x" },
      { a: { b: null, d: { e: null, f: 3 } }, list: [3], text: { g: 1 } },
    ),
    { a: { c: 2, d: { f: 3 } }, list: [3], text: { g: 1 } },
  );
});

Deno.test("withRemovals removes fields and named items that are no longer applied, and no others", () => {
  const before = {
    data: { a: "1", b: "2" },
    containers: [{ name: "one", image: "r/one", args: ["x"] }, { name: "two" }],
    hosts: ["a", "b"],
  };
  const after = {
    data: { a: "3" },
    containers: [{ name: "one", image: "r/one:2" }],
    hosts: ["a"],
  };
  const own = { name: "three", image: "r/three" };
  assert.deepEqual(
    mergePatch(
      { ...before, containers: [...before.containers, own], more: true },
      withRemovals(before, after),
      true,
    ),
    {
      data: { a: "3" },
      containers: [{ name: "one", image: "r/one:2" }, own],
      hosts: ["a"],
      more: true,
    },
  );
});
