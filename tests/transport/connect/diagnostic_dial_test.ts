import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import {
  attemptDial,
  dialSocket,
  explainFailure,
} from "../../../transport/connect/diagnostic_dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import type { DialOptions } from "../../../transport/connect/endpoint_socket.ts";
import { needs, openssl3 } from "../../_needs.ts";
import {
  clientIdentity,
  clientPair,
  newCa,
  serverPair,
  toCaPem,
} from "../_certificates.ts";
import { cluster, never, readMessages } from "../_connection.ts";
import { startServer } from "../_server.ts";
import { connect, createServer, type Socket } from "node:net";
import { dial } from "../../../transport/connect/dial.ts";
import { startAttempt } from "../../../transport/connect/connect_error.ts";
import { opensslServer } from "../_openssl_server.ts";

const options = (endpoint: string): DialOptions => ({
  endpoint: parseEndpoint(endpoint),
  trust: { kind: "verified", identity: { ca: toCaPem(cluster) } },
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
  for await (const { length } of readMessages(connection, call)) {
    lengths.push(length);
  }
  assert.deepEqual(lengths, [1, 300_000]);
  assert.equal(connection.peerName, "cp1");
  connection.close();
});

Deno.test("attemptDial ends when time is up, and names the step", async () => {
  const attempt = attemptDial(
    { ...options("127.0.0.1:1"), timeoutMs: 10 },
    async ({ signal }, progress) => {
      progress.stage = "proxy";
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    },
  );
  await assert.rejects(attempt, {
    name: "ConnectError",
    message: /within 0.01 s while the proxy connects$/,
  });
});

const identity = await clientIdentity(await newCa());

function optionsAt(
  port: number,
  kind: "verified" | "maintenance",
): DialOptions {
  return {
    endpoint: parseEndpoint(`127.0.0.1:${port}`),
    trust: kind === "verified"
      ? { kind, identity }
      : { kind, fingerprints: [] },
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  };
}

async function reason(
  error: unknown,
  kind: "verified" | "maintenance" = "verified",
): Promise<string> {
  // Nothing listens there: a second attempt finds out nothing.
  const found = await explainFailure(optionsAt(1, kind), {
    stage: "http2",
    sockets: [],
  }, error);
  assert.ok(found instanceof ConnectError);
  return found.reason;
}

Deno.test("explainFailure leaves errors that say enough as they are", async () => {
  const error = new RpcError("UNAVAILABLE", "gone");
  const progress = { stage: "tls", sockets: [] } as const;
  const found = await explainFailure(
    optionsAt(1, "verified"),
    { ...progress, sockets: [] },
    error,
  );
  assert.equal(found, error);
});

Deno.test("explainFailure takes the first error of the sockets, not what followed from it", async () => {
  const found = await explainFailure(optionsAt(1, "verified"), {
    stage: "tcp",
    sockets: [],
    error: { code: "ECONNREFUSED" },
  }, { code: "ERR_STREAM_PREMATURE_CLOSE" });
  assert.ok(found instanceof ConnectError);
  assert.equal(found.reason, "refused");
});

Deno.test("explainFailure keeps what it has when a second attempt tells nothing", async () => {
  assert.equal(await reason({ code: "EPIPE" }), "reset");
  assert.equal(
    await reason({ code: "EPIPE" }, "maintenance"),
    "client-missing",
  );
});

Deno.test("explainFailure does not try again when the refusal was seen", async () => {
  const connections: Socket[] = [];
  const server = createServer((socket) => connections.push(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { readonly port: number };
  const error = { code: "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA" };
  const progress = { stage: "http2", sockets: [] } as const;
  const found = await explainFailure(
    optionsAt(port, "verified"),
    { ...progress, sockets: [] },
    error,
  );
  await new Promise((done) => server.close(done));
  assert.ok(found instanceof ConnectError);
  assert.equal(found.reason, "client-wrong-ca");
  assert.equal(connections.length, 0);
});

/**
 * Passes bytes on to a server; of the first connection, none of what the server says to the client's certificate.
 *
 * That is what a client sees that was still sending when the server refused it.
 */
async function deafeningRelay(endpoint: string) {
  const [hostname = "", port] = endpoint.split(":");
  let connections = 0;
  const relay = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) });
    const first = connections++ === 0;
    let spoken = 0;
    for (const socket of [client, server]) socket.on("error", () => {});
    client.on("data", (chunk) => {
      spoken++;
      server.write(chunk);
    });
    client.on("close", () => server.destroy());
    server.on("data", (chunk) => {
      if (first && spoken > 1) client.resetAndDestroy();
      else client.write(chunk);
    });
    server.on("end", () => client.end());
  });
  await new Promise<void>((done) => relay.listen(0, "127.0.0.1", done));
  return {
    port: (relay.address() as { readonly port: number }).port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => relay.close(done));
    },
  };
}

Deno.test(
  "explainFailure lets a server refuse again that was not heard the first time",
  needs(openssl3),
  async () => {
    const cluster = await newCa();
    await using server = await opensslServer(cluster);
    await using relay = await deafeningRelay(server.endpoint);
    const stranger = await clientPair(await newCa());
    const attempt = dial({
      ...optionsAt(relay.port, "verified"),
      trust: {
        kind: "verified",
        identity: { ca: toCaPem(cluster), ...stranger },
      },
    });
    await assert.rejects(attempt, { reason: "client-wrong-ca" });
    assert.equal(relay.connections(), 2);
  },
);

Deno.test("attemptDial reports whether a certificate was shown", () => {
  const progress = { stage: "tls", sockets: [] } as const;
  const shown = startAttempt(optionsAt(1, "verified"), {
    ...progress,
    sockets: [],
  });
  assert.equal(shown.identified, true);
  assert.equal(shown.stage, "tls");
  const anonymous = startAttempt(
    optionsAt(1, "maintenance"),
    { ...progress, sockets: [] },
  );
  assert.equal(anonymous.identified, false);
});
