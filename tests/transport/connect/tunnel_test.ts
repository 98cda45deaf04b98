import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import { dial } from "../../../transport/connect/dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { parseProxy } from "../../../transport/connect/proxy.ts";
import type { Trust } from "../../../transport/connect/trust.ts";
import {
  clientIdentity,
  newCa,
  serverPair,
  toCaPem,
} from "../_certificates.ts";
import { httpProxy, socksProxy, type TestProxy } from "../_proxy.ts";
import { startServer } from "../_server.ts";

const cluster = await newCa();
const trusts: readonly Trust[] = [
  { kind: "verified", identity: await clientIdentity(cluster) },
  { kind: "maintenance", fingerprints: [] },
];

function through(
  proxy: string,
  endpoint: string,
  trust: Trust = trusts[0]!,
  timeoutMs = 5_000,
) {
  return dial({
    endpoint: parseEndpoint(endpoint),
    proxy: parseProxy(proxy),
    trust,
    timeoutMs,
    signal: new AbortController().signal,
  });
}

async function failure(
  proxy: string,
  endpoint: string,
  timeoutMs?: number,
): Promise<ConnectError> {
  try {
    (await through(proxy, endpoint, undefined, timeoutMs)).close();
  } catch (error) {
    assert.ok(error instanceof ConnectError, String(error));
    return error;
  }
  assert.fail("connected");
}

type Kind = readonly [
  scheme: string,
  start: (target: string, server: string) => TestProxy,
  auth: string,
];

const kinds: readonly Kind[] = [
  ["http", (target, server) => httpProxy({ [target]: server }), ""],
  [
    "http",
    (target, server) =>
      httpProxy({ [target]: server }, { credentials: "me:p@ss" }),
    "me:p%40ss@",
  ],
  ["socks5", (target, server) => socksProxy({ [target]: server }), ""],
  ["socks5h", (target, server) => socksProxy({ [target]: server }), ""],
  [
    "socks5",
    (target, server) => socksProxy({ [target]: server }, ["me", "p@ss"]),
    "me:p%40ss@",
  ],
];

for (const [scheme, start, auth] of kinds) {
  for (const trust of trusts) {
    Deno.test(`tunnel through ${scheme}://${auth} leads to a ${trust.kind} node whose name only the proxy knows`, async () => {
      await using server = await startServer({
        pair: await serverPair(cluster),
        ...trust.kind === "verified" ? { clients: cluster } : {},
        routes: {},
      });
      await using proxy = start("node1.test:50000", server.endpoint);
      const connection = await through(
        `${scheme}://${auth}${proxy.address}`,
        "node1.test",
        trust,
      );
      assert.equal(connection.usable, true);
      connection.close();
    });
  }
}

Deno.test("tunnel asks an HTTP proxy for host and port, with credentials", async () => {
  await using proxy = httpProxy({});
  await failure(`http://me:secret@${proxy.address}`, "10.0.0.1:443");
  assert.deepEqual(proxy.asked, [
    "CONNECT 10.0.0.1:443 HTTP/1.1\r\n" +
    "Host: 10.0.0.1:443\r\n" +
    "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n",
  ]);
});

const addresses = [
  ["node1.test:1", "node1.test:1"],
  ["10.0.0.1:258", "10.0.0.1:258"],
  ["[fd00::1:2]:65535", "fd000000000000000000000000010002:65535"],
] as const;

for (const [endpoint, asked] of addresses) {
  Deno.test(`tunnel asks a SOCKS5 proxy for ${endpoint}`, async () => {
    await using proxy = socksProxy({});
    const error = await failure(`socks5://${proxy.address}`, endpoint);
    assert.deepEqual(proxy.asked, [asked]);
    assert.equal(
      error.message,
      `Proxy "${proxy.address}" does not connect to "${endpoint}": its rules forbid the connection`,
    );
  });
}

const refusals = [
  {
    title: "an HTTP proxy that wants credentials",
    start: () => httpProxy({}, { credentials: "me:secret" }),
    scheme: "http",
    why: "it answers with HTTP status 407",
  },
  {
    title: "an HTTP proxy that cannot connect",
    start: () => httpProxy({}),
    scheme: "http",
    why: "it answers with HTTP status 502",
  },
  {
    title: "a SOCKS5 proxy that wants credentials",
    start: () => socksProxy({}, ["me", "secret"]),
    scheme: "socks5",
    why: "it wants credentials",
  },
  {
    title: "a SOCKS5 proxy that does not take the credentials",
    start: () => socksProxy({}, ["me", "secret"]),
    scheme: "socks5://me:wrong@",
    why: "it rejects the credentials",
  },
  {
    title: "a SOCKS5 proxy that takes no credentials",
    start: () => socksProxy({}),
    scheme: "socks5://me:secret@",
    why: "it takes no credentials",
  },
] as const;

for (const { title, start, scheme, why } of refusals) {
  Deno.test(`tunnel names ${title}`, async () => {
    await using proxy = start();
    const url = scheme.includes("://") ? scheme : `${scheme}://`;
    const error = await failure(`${url}${proxy.address}`, "node1.test");
    assert.equal(error.reason, "proxy");
    assert.equal(
      error.message,
      `Proxy "${proxy.address}" does not connect to "node1.test:50000": ${why}`,
    );
    assert.equal(
      error.hint,
      "Check proxy-url of the context, or HTTPS_PROXY and NO_PROXY",
    );
  });
}

const others = [
  [
    "http",
    "SSH-2.0-server\r\n\r\n",
    "it answers with something other than HTTP",
  ],
  ["http", "", "it closed the connection"],
  ["http", "HTTP/1.1 200 OK\r\n", "it closed the connection"],
  ["http", "x".repeat(20_000), "its response header is too long"],
  ["socks5", "HTTP/1.1 400\r\n\r\n", "it is not a SOCKS5 proxy"],
  ["socks5", "", "it closed the connection"],
] as const;

for (const [scheme, answer, why] of others) {
  Deno.test(`tunnel through ${scheme}:// names a server that answers ${JSON.stringify(answer.slice(0, 20))}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1024));
      await connection.write(new TextEncoder().encode(answer));
      connection.close();
    });
    const address = `127.0.0.1:${listener.addr.port}`;
    const error = await failure(`${scheme}://${address}`, "node1.test");
    await accepted;
    assert.equal(error.reason, "proxy");
    assert.ok(error.message.endsWith(`: ${why}`), error.message);
  });
}

Deno.test("tunnel gives up on a proxy that stays silent", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const address = `http://127.0.0.1:${listener.addr.port}`;
  const error = await failure(address, "node1.test", 100);
  (await accepted).close();
  assert.equal(error.reason, "timeout");
  assert.match(
    error.message,
    /no answer within 0.1 s while the proxy connects/,
  );
});

Deno.test("tunnel names a proxy that is not there", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const error = await failure(`http://127.0.0.1:${port}`, "node1.test");
  assert.equal(error.reason, "proxy");
  assert.equal(
    error.message,
    `Cannot connect to proxy "127.0.0.1:${port}": the connection was refused`,
  );
});

Deno.test("tunnel goes through a proxy that is itself behind TLS", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, toCaPem(cluster));
  const { crt: cert, key } = await serverPair(cluster);
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: { "/test/Echo": (call) => call.requests },
  });
  await using proxy = httpProxy({ "node1.test:50000": server.endpoint }, {
    tls: { cert, key },
  });
  const script = new URL("_through_https_proxy.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, `https://${proxy.address}`, "node1.test"],
    env: { DENO_CERT: file },
  }).output();
  await Deno.remove(file);
  assert.equal(
    new TextDecoder().decode(stdout),
    "answer 7,8,9\n",
    new TextDecoder().decode(stderr),
  );
});
