import assert from "node:assert/strict";
import { eventTypes } from "../../../../workflows/runbooks/event.ts";
import { eventShapes } from "../../../../workflows/runbooks/store/event_data.ts";

Deno.test("eventShapes describes every kind of event, in the order of the kinds", () => {
  assert.deepEqual(Object.keys(eventShapes), [...eventTypes]);
});

Deno.test("eventShapes says where an event of a node is", () => {
  const { path, node, data } = eventShapes["node.ended"];
  assert.ok(path && node);
  const needed = Object.keys(data).filter((name) => data[name]?.required);
  assert.deepEqual(needed, ["state"]);
});

Deno.test("the documentation lists every kind of event with what it says", async () => {
  const url = new URL("../../../../docs/runbooks/watching.md", import.meta.url);
  const lines = (await Deno.readTextFile(url)).split("\n");
  for (const type of eventTypes) {
    const row = lines.find((line) => line.startsWith(`| \`${type}\` `));
    const reported = row?.split("|")[3]?.replace(/\(.*\)/, "") ?? "no row";
    const names = [...reported.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(names, Object.keys(eventShapes[type].data), type);
  }
});
