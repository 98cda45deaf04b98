import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import { dial } from "../../../transport/connect/dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { sendAtOnce } from "../../../transport/connect/runtime_tls.ts";
import type { Trust } from "../../../transport/connect/trust.ts";
import type { DialOptions } from "../../../transport/connect/endpoint_socket.ts";
import { needs, openssl3 } from "../../_needs.ts";
import {
  clientIdentity,
  clientPair,
  newCa,
  serverPair,
  toCaPem,
} from "../_certificates.ts";
import { opensslServer } from "../_openssl_server.ts";
import { startServer } from "../_server.ts";

const never = new AbortController().signal;
const cluster = await newCa();
const stranger = await newCa();
const admin = await clientIdentity(cluster);
const verified: Trust = { kind: "verified", identity: admin };

type Options = Partial<Omit<DialOptions, "endpoint">>;

function connect(endpoint: string, options: Options = {}) {
  return dial({
    endpoint: parseEndpoint(endpoint),
    trust: verified,
    timeoutMs: 5_000,
    signal: never,
    ...options,
  });
}

async function failure(
  endpoint: string,
  options: Options = {},
): Promise<ConnectError> {
  try {
    (await connect(endpoint, options)).close();
  } catch (error) {
    assert.ok(error instanceof ConnectError, String(error));
    return error;
  }
  assert.fail("connected");
}

for (const host of ["127.0.0.1", "::1"]) {
  Deno.test(`dial connects to ${host} with certificates on both sides`, async () => {
    await using server = await startServer({
      host,
      pair: await serverPair(cluster),
      clients: cluster,
      routes: {},
    });
    const connection = await connect(server.endpoint);
    assert.equal(connection.usable, true);
    connection.close();
    assert.equal(connection.usable, false);
  });
}

Deno.test("dial checks the name in the certificate when the endpoint is a name", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster, { ips: [], dns: ["localhost"] }),
    clients: cluster,
    routes: {},
  });
  (await connect(`localhost:${server.port}`)).close();
  const error = await failure(server.endpoint);
  assert.equal(error.reason, "wrong-name");
});

Deno.test("dial names a refused connection", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const error = await failure(`127.0.0.1:${port}`);
  assert.equal(error.reason, "refused");
  assert.equal(
    error.message,
    `Cannot connect to "127.0.0.1:${port}": the connection was refused`,
  );
  assert.equal(
    error.hint,
    `Diagnose it with: osctl doctor connect -e 127.0.0.1:${port}`,
  );
});

Deno.test("dial names an unknown name", async () => {
  const error = await failure("no-such-name.invalid");
  assert.equal(error.reason, "dns");
});

Deno.test("dial names a network it cannot reach", async () => {
  const error = await failure("255.255.255.255");
  assert.equal(error.reason, "unreachable");
});

Deno.test("dial gives up on a server that accepts and stays silent", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const error = await failure(`127.0.0.1:${listener.addr.port}`, {
    timeoutMs: 100,
  });
  (await accepted).close();
  assert.equal(error.reason, "timeout");
  assert.match(
    error.message,
    /no answer within 0.1 s during the TLS handshake/,
  );
});

Deno.test("dial ends with the reason of its signal", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const controller = new AbortController();
  const reason = new Error("enough");
  const attempt = connect(`127.0.0.1:${listener.addr.port}`, {
    signal: controller.signal,
  });
  const accepted = await listener.accept();
  controller.abort(reason);
  await assert.rejects(attempt, (error) => error === reason);
  accepted.close();
});

Deno.test("dial names a connection that is reset during the handshake", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept().then((connection) => connection.close());
  const error = await failure(`127.0.0.1:${listener.addr.port}`);
  await accepted;
  assert.equal(error.reason, "reset");
});

Deno.test("dial names a server without TLS", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const served = (async () => {
    for await (const connection of listener) {
      accepted.push(connection);
      await connection.write(new TextEncoder().encode("SSH-2.0-server\r\n"));
    }
  })();
  const error = await failure(`127.0.0.1:${listener.addr.port}`);
  listener.close();
  await served;
  for (const connection of accepted) connection.close();
  assert.equal(error.reason, "not-tls");
});

Deno.test("dial does not trust a CA of the system in place of the context's", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/context.pem`, toCaPem(cluster));
  await Deno.writeTextFile(`${folder}/system.pem`, toCaPem(stranger));
  await using server = await startServer({
    pair: await serverPair(stranger),
    routes: {},
  });
  const script = new URL("_dial.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, server.endpoint, `${folder}/context.pem`],
    env: { DENO_CERT: `${folder}/system.pem` },
  }).output();
  await Deno.remove(folder, { recursive: true });
  assert.equal(
    new TextDecoder().decode(stdout),
    "wrong-ca\n",
    new TextDecoder().decode(stderr),
  );
});

Deno.test(
  "dial takes a node whose CA is not of the kind that nodes use",
  needs(openssl3),
  async () => {
    const folder = await Deno.makeTempDir();
    const made = await new Deno.Command("sh", {
      cwd: folder,
      args: ["-c", rsaCluster],
      stdout: "null",
      stderr: "piped",
    }).output();
    assert.ok(made.success, new TextDecoder().decode(made.stderr));
    const read = (name: string) => Deno.readTextFile(`${folder}/${name}`);
    const ca = await read("ca.pem");
    await using server = await startServer({
      pair: { crt: await read("node.pem"), key: await read("node.key") },
      routes: {},
    });
    const trust: Trust = { kind: "verified", identity: { ca } };
    (await connect(server.endpoint, { trust })).close();
    await Deno.remove(folder, { recursive: true });
  },
);

/** A CA with a key of RSA, and a node of it. */
const rsaCluster =
  `openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /O=talos -addext basicConstraints=critical,CA:TRUE
openssl req -newkey rsa:2048 -nodes -keyout node.key -out node.csr -subj /CN=node1
printf 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' > ext
openssl x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile ext -out node.pem`;

Deno.test("dial sends small packets at once, where the system can be known", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = listener.accept();
  using connection = await Deno.connect({ port: listener.addr.port });
  using _accepted = await accepting;
  const known = ["linux", "darwin"].includes(Deno.build.os);
  assert.equal(sendAtOnce(connection), known);
  const unbound: Deno.NetAddr = { ...connection.localAddr, port: 0 };
  assert.equal(
    sendAtOnce({ localAddr: unbound, remoteAddr: connection.remoteAddr }),
    false,
  );
});

const day = 24 * 60 * 60 * 1000;
const now = Date.now();

const distrusted = [
  {
    title: "a CA of another cluster",
    pair: () => serverPair(stranger),
    reason: "wrong-ca",
    message: / "O=talos" \(key ID \w{8}\), .*: "O=talos" \(key ID \w{8}\)$/,
  },
  {
    title: "a name that is not in the certificate",
    pair: () => serverPair(cluster, { ips: ["10.0.0.9"], dns: ["node9"] }),
    reason: "wrong-name",
    message: /its certificate is for node9, 10\.0\.0\.9$/,
  },
  {
    title: "a certificate that expired",
    pair: () =>
      serverPair(cluster, {
        notBefore: new Date(now - 2 * day),
        notAfter: new Date(now - day),
      }),
    reason: "server-expired",
    message: /its certificate expired on /,
  },
  {
    title: "a certificate of tomorrow",
    pair: () =>
      serverPair(cluster, {
        notBefore: new Date(now + day),
        notAfter: new Date(now + 2 * day),
      }),
    reason: "server-not-yet-valid",
    message: /its certificate is not valid before /,
  },
  {
    title: "a client's certificate",
    pair: () => clientPair(cluster, { ips: ["127.0.0.1"] }),
    reason: "unknown",
    message: /its certificate is not a server certificate$/,
  },
  {
    title: "a node in maintenance mode",
    pair: () =>
      serverPair(stranger, { commonName: "maintenance-service.talos.dev" }),
    reason: "maintenance",
    message: /the node is in maintenance mode: it has no configuration yet$/,
  },
] as const;

for (const { title, pair, reason, message } of distrusted) {
  Deno.test(`dial does not trust ${title}`, async () => {
    await using server = await startServer({ pair: await pair(), routes: {} });
    const error = await failure(server.endpoint);
    assert.equal(error.reason, reason);
    assert.match(error.message, message);
    assert.ok(error.message.startsWith(`Cannot trust "${server.endpoint}": `));
  });
}

Deno.test("dial without a CA does not trust a private one", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: {},
  });
  const error = await failure(server.endpoint, {
    trust: { kind: "verified", identity: {} },
  });
  assert.equal(error.reason, "wrong-ca");
});

Deno.test("dial tells that the server wants a client certificate", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    clients: cluster,
    routes: {},
  });
  const error = await failure(server.endpoint, {
    trust: { kind: "verified", identity: { ca: toCaPem(cluster) } },
  });
  assert.equal(error.reason, "client-missing");
});

const refused = [
  {
    title: "of another CA",
    pair: () => clientPair(stranger),
    reason: "client-wrong-ca",
  },
  {
    title: "that expired",
    pair: () =>
      clientPair(cluster, {
        notBefore: new Date(now - 2 * day),
        notAfter: new Date(now - day),
      }),
    reason: "client-expired",
  },
  {
    title: "that is not for clients",
    pair: () => serverPair(cluster),
    reason: "client-no-client-auth",
  },
] as const;

for (const { title, pair, reason } of refused) {
  Deno.test(
    `dial tells that the server refuses a client certificate ${title}`,
    needs(openssl3),
    async () => {
      await using server = await opensslServer(cluster);
      const error = await failure(server.endpoint, {
        trust: {
          kind: "verified",
          identity: { ca: toCaPem(cluster), ...await pair() },
        },
      });
      assert.equal(error.reason, reason);
    },
  );
}

const fingerprints = [
  { title: "any key", accepted: [] },
  { title: "one of several keys", accepted: ["QUFB", "seen"] },
];

for (const { title, accepted } of fingerprints) {
  Deno.test(
    `dial in maintenance mode accepts ${title}`,
    needs(openssl3),
    async () => {
      const pair = await serverPair(stranger);
      await using server = await startServer({ pair, routes: {} });
      const seen = await fingerprint(pair.crt);
      const connection = await connect(server.endpoint, {
        trust: {
          kind: "maintenance",
          fingerprints: accepted.map((one) => one === "seen" ? seen : one),
        },
      });
      connection.close();
    },
  );
}

Deno.test(
  "dial in maintenance mode shows the fingerprint it saw instead",
  needs(openssl3),
  async () => {
    const pair = await serverPair(stranger);
    await using server = await startServer({ pair, routes: {} });
    const seen = await fingerprint(pair.crt);
    const error = await failure(server.endpoint, {
      trust: { kind: "maintenance", fingerprints: ["QUFB", "QkJC"] },
    });
    assert.equal(error.reason, "fingerprint");
    assert.equal(
      error.message,
      `Cannot trust "${server.endpoint}": its certificate has fingerprint ${seen}, accepted: QUFB, QkJC`,
    );
  },
);

/** Computed by another program than ours. */
async function fingerprint(crt: string): Promise<string> {
  const shell = new Deno.Command("sh", {
    args: [
      "-c",
      "openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64",
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = shell.stdin.getWriter();
  await writer.write(new TextEncoder().encode(crt));
  await writer.close();
  const { stdout } = await shell.output();
  return new TextDecoder().decode(stdout).trim();
}
