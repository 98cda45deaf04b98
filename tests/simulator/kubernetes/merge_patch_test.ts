import assert from "node:assert/strict";
import {
  mergePatch,
  withRemovals,
} from "../../../simulator/kubernetes/merge_patch.ts";

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
