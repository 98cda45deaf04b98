import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import { RpcError } from "../../../errors.ts";
import { logLine } from "../../../simulator/node/logs.ts";
import { handshake, withFault, worker } from "../_faults.ts";
import { testClient } from "../_client.ts";

const system = { namespace: "system", tailLines: -1 } as const;
Deno.test("wrong-protobuf answers with what no client can read", async () => {
  await withFault("wrong-protobuf", {}, async (client, cluster) => {
    await assert.rejects(client.machine.version({}), { code: "INTERNAL" });
    using many = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { nodes: [worker] },
    });
    await assert.rejects(
      many.machine.version({}),
      new RpcError(
        "UNKNOWN",
        `error appending info for ${worker}: unexpected EOF`,
      ),
    );
  });
});

Deno.test("blackhole takes connections and says nothing; an open stream goes silent", async () => {
  await withFault("slow", { ms: 0 }, async (client, cluster) => {
    const [, node] = cluster.nodes;
    const stop = new AbortController();
    const stream = client.machine.logs({
      ...system,
      id: "syslogd",
      follow: true,
    }, { signal: stop.signal });
    let messages = 0;
    const listening = (async () => {
      for await (const _ of stream) messages++;
    })();
    while (messages === 0) await pause(1);
    await cluster.setFault(worker, "blackhole");
    logLine(node!, "syslogd", "lost");
    const silent = Symbol();
    const wait = new Promise<symbol>((resolve) =>
      setTimeout(() => resolve(silent), 100)
    );
    assert.equal(
      await Promise.race([
        handshake(cluster, worker).catch(() => undefined),
        wait,
      ]),
      silent,
    );
    assert.equal(messages, 1);
    stop.abort();
    await listening;
    await cluster.setFault(worker, "blackhole", false);
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});
