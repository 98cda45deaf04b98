import assert from "node:assert/strict";
import { NodesError, RpcError, UsageError } from "../../../errors.ts";
import { resolveType } from "../../../commands/_resources/resource_type.ts";
import { fakeNodes } from "../../_fake.ts";
import { lists } from "../_resources.ts";

function gone(): never {
  throw new RpcError("UNAVAILABLE", "gone");
}

Deno.test("resolveType asks one node only", async () => {
  const { nodes, unused } = fakeNodes({
    a: { list: lists() },
    b: { list: lists() },
  });
  const { type, defaultNamespace } = await resolveType(nodes, "Links");
  assert.deepEqual([type, defaultNamespace], [
    "Links.net.talos.dev",
    "network",
  ]);
  assert.deepEqual(unused(), ["b.list"]);
});

Deno.test("resolveType asks the next node when one fails", async () => {
  const { nodes } = fakeNodes({ a: { list: gone }, b: { list: lists() } });
  assert.equal((await resolveType(nodes, "mc")).displayType, "MachineConfig");
});

Deno.test("resolveType fails with every node's reason when none answers", async () => {
  const { nodes } = fakeNodes({ a: { list: gone }, b: { list: gone } });
  await assert.rejects(resolveType(nodes, "mc"), NodesError);
});

Deno.test("resolveType counts unknown and ambiguous words as wrong usage", async () => {
  const { nodes } = fakeNodes({ a: { list: lists() } });
  await assert.rejects(resolveType(nodes, "quark"), UsageError);
  await assert.rejects(resolveType(nodes, "l"), UsageError);
});
