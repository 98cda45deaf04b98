import assert from "node:assert/strict";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { parseProxy } from "../../../transport/connect/proxy.ts";
import {
  type DialOptions,
  type DialProgress,
  newProgress,
  openReached,
  openTls,
} from "../../../transport/connect/endpoint_socket.ts";
import { newCa, serverPair } from "../_certificates.ts";
import { httpProxy } from "../_proxy.ts";
import { startServer } from "../_server.ts";

const cluster = await newCa();

function to(endpoint: string, rest: Partial<DialOptions> = {}): DialOptions {
  return {
    endpoint: parseEndpoint(endpoint),
    trust: { kind: "maintenance", fingerprints: [] },
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...rest,
  };
}

function close({ sockets }: DialProgress): void {
  for (const socket of sockets) socket.destroy();
}

Deno.test("openReached connects directly, and leaves the socket to its caller", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: {},
  });
  const progress = newProgress();
  const socket = await openReached(to(server.endpoint), progress);
  assert.equal(progress.stage, "tcp");
  assert.deepEqual(progress.sockets, [socket]);
  assert.equal(socket.destroyed, false);
  close(progress);
});

Deno.test("openReached keeps the first error of its sockets", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const progress = newProgress();
  await assert.rejects(openReached(to(`127.0.0.1:${port}`), progress));
  assert.equal(progress.stage, "tcp");
  assert.equal((progress.error as { code: string }).code, "ECONNREFUSED");
});

Deno.test("openReached is at the proxy while the proxy connects", async () => {
  await using proxy = httpProxy({});
  const progress = newProgress();
  const options = to("node1.test", {
    proxy: parseProxy(`http://${proxy.address}`),
  });
  await assert.rejects(openReached(options, progress), { reason: "proxy" });
  assert.equal(progress.stage, "proxy");
  close(progress);
});

Deno.test("openTls is at TLS until the handshake is over, and stops there when the key is wrong", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: {},
  });
  const progress = newProgress();
  const socket = await openTls(to(server.endpoint), progress);
  assert.equal(progress.stage, "tls");
  assert.equal(socket.alpnProtocol, "h2");
  assert.equal(progress.sockets.length, 2);
  close(progress);
  const pinned = to(server.endpoint, {
    trust: { kind: "maintenance", fingerprints: ["QUFB"] },
  });
  const second = newProgress();
  await assert.rejects(openTls(pinned, second), { reason: "fingerprint" });
  close(second);
});
