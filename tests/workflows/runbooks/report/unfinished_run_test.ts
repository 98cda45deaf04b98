import assert from "node:assert/strict";
import {
  findLeftover,
  leftoverLines,
} from "../../../../workflows/runbooks/report/unfinished_run.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";

Deno.test("unfinished run: one line for each open item", () => {
  const history = new RunHistory();
  history.nodes.set("workers@w-1", { entry: 1 });
  history.residue.set("w-1", new Set(["cordoned"]));
  assert.deepEqual(leftoverLines(findLeftover(history)), [
    "interrupted in the middle of its steps: w-1",
    "left on nodes: w-1 is still cordoned",
  ]);
});
