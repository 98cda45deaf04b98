import assert from "node:assert/strict";
import { placeIn } from "../../../../workflows/runbooks/language/source_places.ts";
import { book, load } from "./_finders.ts";

const text = book(
  "inputs: { x: { type: int } }",
  "steps:",
  "  - id: a",
  "    gate:",
  "      - check: cluster.health",
  "        with: { group: g }",
  "groups: { g: { where: node.ready } }",
);

Deno.test("placeIn finds values, and the nearest thing around what is not there", async () => {
  const runbook = await load({ "a.yaml": text });
  const [step] = runbook.steps;
  assert.ok(step?.verb === "gate");
  const [check] = step.checks;
  const group = runbook.groups["g"];
  assert.ok(check && group);
  const where = [
    placeIn(step, "id"),
    placeIn(step, "gate", 0, "with", "group"),
    placeIn(check, "with", "group"),
    placeIn(check, "with", "other"),
    placeIn(check, "when"),
    placeIn(step, "gate", 7, "x"),
    placeIn(group, "where"),
    placeIn(runbook, "inputs", "x", "type"),
  ].map(({ line, column }) => `${line}:${column}`);
  assert.deepEqual(where, [
    "7:9",
    "10:24",
    "10:24",
    "10:15",
    "9:9",
    "9:7",
    "11:23",
    "5:22",
  ]);
});

Deno.test("placeIn gives the place of what was not read from a file", () => {
  const place = { file: "x.ts", line: 1, column: 1 };
  assert.equal(placeIn({ place }, "with", "a"), place);
});
