import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import {
  attempted,
  dialSocket,
} from "../../../transport/connect/diagnostic_dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import type { DialOptions } from "../../../transport/connect/endpoint_socket.ts";
import { authorityPem, serverPair } from "../_certificates.ts";
import { cluster, messagesOf, never } from "../_connection.ts";
import { startServer } from "../_server.ts";

const options = (endpoint: string): DialOptions => ({
  endpoint: parseEndpoint(endpoint),
  trust: { kind: "verified", identity: { ca: authorityPem(cluster) } },
  timeoutMs: 5_000,
  signal: never,
});

Deno.test("dialSocket makes a connection that carries calls both ways", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster, { commonName: "cp1" }),
    routes: { "/test/Echo": (call) => call.requests },
  });
  const connection = await dialSocket(options(server.endpoint));
  async function* requests() {
    yield new Uint8Array([1]);
    yield new Uint8Array(300_000).fill(7);
  }
  const lengths: number[] = [];
  const call = {
    path: "/test/Echo",
    metadata: {},
    request: requests(),
    signal: never,
  };
  for await (const { length } of messagesOf(connection, call)) {
    lengths.push(length);
  }
  assert.deepEqual(lengths, [1, 300_000]);
  assert.equal(connection.peerName, "cp1");
  connection.close();
});

Deno.test("attempted ends when time is up, and names the step", async () => {
  const attempt = attempted(
    { ...options("127.0.0.1:1"), timeoutMs: 10 },
    async ({ signal }, progress) => {
      progress.stage = "proxy";
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    },
  );
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof ConnectError);
    assert.match(error.message, /within 0.01 s while the proxy connects$/);
    return true;
  });
});
