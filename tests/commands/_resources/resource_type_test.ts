import assert from "node:assert/strict";
import { UsageError } from "../../../errors.ts";
import { resolveType } from "../../../commands/_resources/resource_type.ts";
import { fakeNodes } from "../../_fake.ts";
import { lists } from "../_resources.ts";

Deno.test("resolveType counts unknown and ambiguous words as wrong usage", async () => {
  const { nodes } = fakeNodes({ a: { list: lists() } });
  await assert.rejects(resolveType(nodes, "quark"), UsageError);
  await assert.rejects(resolveType(nodes, "l"), UsageError);
});
