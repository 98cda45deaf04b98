import assert from "node:assert/strict";
import { eventTypes } from "../../../../workflows/runbooks/event.ts";
import { eventShapes } from "../../../../workflows/runbooks/report/event_data.ts";

Deno.test("eventShapes describes every kind of event, in the order of the kinds", () => {
  assert.deepEqual(Object.keys(eventShapes), [...eventTypes]);
});

Deno.test("eventShapes says where an event of a node stands", () => {
  const { path, node, data } = eventShapes["node.ended"];
  assert.ok(path && node);
  const needed = Object.keys(data).filter((name) => data[name]?.required);
  assert.deepEqual(needed, ["state"]);
});
