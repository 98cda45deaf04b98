import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { nodesAllReachable } from "../../../workflows/checks/nodes_all_reachable.ts";
import { siteOf, versionOf } from "./_site.ts";

const up = { version: () => versionOf("v1.12.11") };
const down = {
  version: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
};

Deno.test("nodes.allReachable names nodes that do not answer, the first three of them", async () => {
  assert.deepEqual(
    await nodesAllReachable.look(siteOf({ nodes: { a: up, b: up } }), {}),
    { ok: true, seen: "2 nodes answered" },
  );
  const nodes = { a: down, b: up, c: down, d: down, e: down, f: down };
  assert.deepEqual(await nodesAllReachable.look(siteOf({ nodes }), {}), {
    ok: false,
    reason: "a: gone; c: gone; d: gone; and 2 more",
  });
});
