import assert from "node:assert/strict";
import { logFields } from "../../../simulator/node/structured_log.ts";
import { bootedNode } from "../_node.ts";

Deno.test("a line has its time, its level in color, and its fields", async () => {
  const node = await bootedNode();
  logFields(node, "thing", {
    level: "WARN",
    text: "it is late",
    fields: { who: 'the "cat"', by: 5 },
  });
  assert.equal(
    node.boot.logs.get("thing")!.at(0),
    '2026-03-01T12:00:00.000Z \x1b[33mWARN\x1b[0m it is late {"who": "the \\"cat\\"", "by": 5}',
  );
});
