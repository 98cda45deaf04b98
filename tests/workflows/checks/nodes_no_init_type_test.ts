import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { nodesNoInitType } from "../../../workflows/checks/nodes_no_init_type.ts";
import { resource, siteOf } from "./_site.ts";

const node = (type: string) => ({ get: () => resource({ machine: { type } }) });

Deno.test("nodes.noInitType names nodes that begin clusters, and those that do not show what they are", async () => {
  const good = siteOf({
    nodes: { a: node("controlplane"), b: node("worker") },
  });
  assert.deepEqual(await nodesNoInitType.look(good, {}), {
    ok: true,
    seen: "2 nodes without",
  });
  const get = () => Promise.reject(new RpcError("PERMISSION_DENIED", "no"));
  const bad = siteOf({ nodes: { a: node("init"), b: { get } } });
  assert.deepEqual(await nodesNoInitType.look(bad, {}), {
    ok: false,
    reason:
      "a: its machine type is init; make it controlplane; b: it does not show its configuration",
  });
});
