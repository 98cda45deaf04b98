import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { nodesTimeInSync } from "../../../workflows/checks/nodes_time_in_sync.ts";
import { resource, siteOf } from "./_site.ts";

/** A node whose clock is so many seconds ahead; a text is how its time server is refused. */
function node(synced: boolean, ahead: number | "UNKNOWN" | "UNAVAILABLE") {
  return {
    get: () => resource({ synced }),
    time() {
      if (typeof ahead === "string") throw new RpcError(ahead, "no server");
      const remotetime = { seconds: 1_000n, nanos: 0 };
      const localtime = { seconds: 1_000n + BigInt(ahead), nanos: 0 };
      return { messages: [{ localtime, remotetime }] };
    },
  };
}

Deno.test("nodes.timeInSync believes the time server, and the node where there is none to ask", async () => {
  const good = siteOf({
    nodes: { a: node(true, 2), b: node(true, "UNKNOWN") },
  });
  assert.deepEqual(await nodesTimeInSync.look(good, {}), {
    ok: true,
    seen: "2 nodes in sync",
  });
  const bad = siteOf({
    nodes: { a: node(true, 600), b: node(true, -7), c: node(false, 0) },
  });
  assert.deepEqual(await nodesTimeInSync.look(bad, {}), {
    ok: false,
    reason:
      "a: the clock is 600 s ahead; b: the clock is 7 s behind; c: the clock is not in sync yet",
  });
  const away = siteOf({ nodes: { a: node(true, "UNAVAILABLE") } });
  assert.deepEqual(await nodesTimeInSync.look(away, {}), {
    ok: false,
    reason: "a: no server",
  });
});

Deno.test("nodes.timeInSync is not stopped by an answer without times", async () => {
  const a = { ...node(true, 0), time: () => ({ messages: [{}] }) };
  const found = await nodesTimeInSync.look(siteOf({ nodes: { a } }), {});
  assert.equal(found.ok, true);
});
