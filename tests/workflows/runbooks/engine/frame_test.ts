import assert from "node:assert/strict";
import {
  append,
  emitStep,
  type Frame,
  groupIn,
  makeFrame,
  nodesIn,
  pathIn,
  type RunbookScope,
} from "../../../../workflows/runbooks/engine/frame.ts";
import { groupKey } from "../../../../workflows/runbooks/journal/history.ts";
import { demo } from "../store/_runs.ts";
import type { EngineOptions } from "../../../../workflows/runbooks/engine/engine_options.ts";

const book: RunbookScope = { runbook: demo, path: "", inputs: {}, vars: {} };

const top: Frame = makeFrame(book);

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

Deno.test("records and events of a step name the node of the walk", async () => {
  const records: unknown[] = [];
  const events: unknown[] = [];
  const journal: EngineOptions["journal"] = {
    append(record) {
      records.push(record);
      return Promise.resolve({ ...record, seq: 1, ts: "", previous: "" });
    },
  };
  const emit: EngineOptions["emit"] = (event) => void events.push(event);
  await append({ journal }, top, { type: "gate", path: "a" });
  const at = { node: "n", entry: 2 };
  await append({ journal }, at, { type: "ack", path: "b", attempt: 3 });
  const start = { type: "step.start", data: { verb: "run" } } as const;
  emitStep({ emit }, { path: "a" }, start);
  emitStep({ emit }, { path: "b", node: "n" }, { ...start, attempt: 2 });
  assert.deepEqual(records, [
    { type: "gate", path: "a", entry: 1 },
    { type: "ack", path: "b", node: "n", entry: 2, attempt: 3 },
  ]);
  const { type, data } = start;
  assert.deepEqual(events, [
    { type, path: "a", data },
    { type, path: "b", node: "n", attempt: 2, data },
  ]);
});

Deno.test("a group is as it was resolved last, and self is the node", async () => {
  const groups = new Map([["#all", ["a", "b"]]]);
  assert.deepEqual(await nodesIn(groups, top, "all"), ["a", "b"]);
  assert.deepEqual(await nodesIn(groups, { book, node: "b" }, "self"), ["b"]);
  assert.deepEqual(await nodesIn(groups, top, "self"), []);
});
