import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import type { DialOptions } from "../../../transport/connect/endpoint_socket.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { listProbes } from "../../../transport/connect/probe.ts";
import { decodePemAs, pemLabel } from "../../../pki/pem.ts";
import { clientIdentity, newCa, serverPair } from "../_certificates.ts";
import { startServer } from "../_server.ts";

const cluster = await newCa();
const identity = await clientIdentity(cluster);

function probes(endpoint: string, options: Partial<DialOptions> = {}) {
  return listProbes({
    endpoint: parseEndpoint(endpoint),
    trust: { kind: "verified", identity },
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...options,
  });
}

async function failureReason(step: Promise<unknown>): Promise<string> {
  try {
    await step;
  } catch (error) {
    assert.ok(error instanceof ConnectError, String(error));
    return error.reason;
  }
  return "none";
}

Deno.test("lookUp gives the addresses of a name, each once", async () => {
  const addresses = await probes("localhost").lookUp();
  assert.ok(addresses.includes("127.0.0.1"), addresses.join());
  assert.equal(new Set(addresses).size, addresses.length);
});

Deno.test("lookUp names an unknown name", async () => {
  const { lookUp } = probes("no-such-name.invalid");
  assert.equal(await failureReason(lookUp()), "dns");
});

Deno.test({
  name: "lookUp leaves a resolver that does not answer alone",
  // The resolver continues by itself.
  sanitizeOps: false,
  async fn() {
    const stop = new AbortController();
    const { lookUp } = probes("localhost", { signal: stop.signal });
    const found = lookUp();
    const reason = new Error("enough");
    stop.abort(reason);
    await assert.rejects(found, reason);
    // It has most likely answered when it answers the next one.
    await probes("localhost").lookUp();
  },
});

Deno.test("probes of a good endpoint leave nothing open", async () => {
  const pair = await serverPair(cluster);
  await using server = await startServer({
    pair,
    clients: cluster,
    routes: {},
  });
  const { connect, handshake, login } = probes(server.endpoint);
  await connect();
  const { protocol, certificate } = await handshake();
  assert.equal(protocol, "TLSv1.3");
  assert.deepEqual(
    certificate,
    decodePemAs(pemLabel.certificate, pair.crt)[0],
  );
  await login();
});

Deno.test("reach closes its connection", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  await probes(`127.0.0.1:${listener.addr.port}`).connect();
  using connection = await accepted;
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve("still open"), 20_000);
  const end = await Promise.race([
    connection.read(new Uint8Array(1)),
    late.promise,
  ]);
  clearTimeout(timer);
  assert.equal(end, null);
});

Deno.test("look shows the certificate of a stranger, login refuses it", async () => {
  const pair = await serverPair(await newCa());
  await using server = await startServer({ pair, routes: {} });
  const { handshake, login } = probes(server.endpoint);
  assert.deepEqual(
    (await handshake()).certificate,
    decodePemAs(pemLabel.certificate, pair.crt)[0],
  );
  assert.equal(await failureReason(login()), "wrong-ca");
});

Deno.test("reach and look name what is wrong", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const endpoint = `127.0.0.1:${listener.addr.port}`;
  const { connect, handshake } = probes(endpoint, { timeoutMs: 100 });
  await connect();
  assert.equal(await failureReason(handshake()), "timeout");
  listener.close();
  assert.equal(await failureReason(connect()), "refused");
});
