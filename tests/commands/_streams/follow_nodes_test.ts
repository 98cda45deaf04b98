import assert from "node:assert/strict";
import { following } from "../../../commands/_streams/follow_nodes.ts";
import type { Format } from "../../../terminal/format.ts";
import { type NodesError, RpcError } from "../../../errors.ts";
import type { Gap, Item } from "../../../transport/stream/follow.ts";
import { type FakeNodes, fakeNodes } from "../../_fake.ts";

const gap: Gap = {
  kind: "gap",
  reason: "node rebooted",
  since: new Date("2026-01-02T03:04:05Z"),
  at: new Date("2026-01-02T03:04:45Z"),
};

const reported =
  "--- a: node rebooted, gap from 2026-01-02T03:04:05.000Z to 2026-01-02T03:04:45.000Z ---";

/** Follows nodes that send one item and a gap. */
async function rows(
  nodes: FakeNodes,
  kind: "table" | "json" | "jsonpath",
  failing = "",
) {
  const notes: string[] = [];
  const seen: unknown[] = [];
  const output: Format = kind === "jsonpath"
    ? { kind, template: "{.item}" }
    : { kind };
  let failure: unknown;
  const followed = following({
    nodes: fakeNodes(nodes).nodes,
    note: (text) => notes.push(text),
    environment: { now: () => new Date(0) } as never,
  }, {
    output,
    row: (node, item: string) => ({ node, item }),
    async *follow({ node }, { now }): AsyncGenerator<Item<string> | Gap> {
      await Promise.resolve();
      if (node === failing) throw new RpcError("PERMISSION_DENIED", "no");
      yield { kind: "item", item: `at ${now?.().getTime()}` };
      yield gap;
    },
  });
  try {
    for await (const row of followed) seen.push(row);
  } catch (error) {
    failure = error;
  }
  return { seen, notes, failure: failure as NodesError | undefined };
}

Deno.test("following tells at once that one of several nodes failed", async () => {
  const { notes, failure } = await rows({ a: {}, b: {} }, "table", "b");
  assert.deepEqual(notes.sort(), [
    reported,
    "--- b: no longer following: no ---",
  ]);
  assert.deepEqual([...failure?.failures.keys() ?? []], ["b"]);
});
