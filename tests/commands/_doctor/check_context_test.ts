import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import {
  clientRows,
  type ContextCheck,
  contextRows,
} from "../../../commands/_doctor/check_context.ts";
import type { ConnectRow } from "../../../commands/_doctor/row.ts";
import {
  clientPair,
  type PairSpec,
  serverPair,
  toCaPem,
} from "../../transport/_certificates.ts";
import { httpProxy } from "../../transport/_proxy.ts";
import {
  startServer,
  versionPath,
  versionReply,
} from "../../transport/_server.ts";
import { makeCa } from "./_endpoint.ts";
import type { CertificateAuthority } from "../../../pki/certificate.ts";

const cluster = await makeCa();
const inAYear = new Date(Date.now() + 365 * 86_400_000);
const admin = await clientPair(cluster, { notAfter: inAYear });
const identity = { ca: toCaPem(cluster), ...admin };

async function* version() {
  yield await Promise.resolve(versionReply("v1.12.11"));
}

async function node() {
  return await startServer({
    pair: await serverPair(cluster),
    clients: cluster,
    routes: { [versionPath]: version },
  });
}

async function look(
  endpoints: readonly string[],
  check: Partial<ContextCheck> = {},
): Promise<readonly ConnectRow[]> {
  return await Array.fromAsync(contextRows({
    endpoints: endpoints.map(parseEndpoint),
    trust: { kind: "verified", identity },
    nodes: [],
    timeoutMs: 5_000,
    nodeTimeoutMs: 5_000,
    env: () => undefined,
    now: () => new Date(),
    clock: () => 0,
    signal: new AbortController().signal,
    ...check,
  }));
}

Deno.test("contextRows does not log in with a certificate that cannot be used", async () => {
  await using server = await node();
  const other = await clientPair(cluster, { notAfter: inAYear });
  const rows = await look([server.endpoint], {
    trust: { kind: "verified", identity: { ...identity, key: other.key } },
  });
  const [client] = rows;
  assert.ok(client?.result === "failed");
  assert.equal(client.cause, "client-key-mismatch");
  assert.deepEqual(rows.at(-1), {
    endpoint: server.endpoint,
    stage: "login",
    result: "skipped",
    detail: "the client certificate cannot be used",
  });
});

Deno.test("contextRows goes through the proxy and says why", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    clients: cluster,
    routes: { [versionPath]: version },
  });
  const name = "node1.test:50000";
  await using proxy = httpProxy({ [name]: server.endpoint });
  const env = (key: string) =>
    key === "HTTPS_PROXY" ? `http://user:secret@${proxy.address}` : undefined;
  const rows = await look([name], { env });
  assert.deepEqual(rows.slice(2, 5).map(({ detail }) => detail), [
    `http proxy "${proxy.address}": HTTPS_PROXY is set, and NO_PROXY does not name the endpoint`,
    "resolved by the proxy",
    "connected to the proxy in 0 ms",
  ]);
  assert.equal(rows.at(-1)?.stage, "nodes");
});

Deno.test("contextRows says why no proxy is used", async () => {
  const refusal = async (
    endpoint: string,
    variables: Readonly<Record<string, string>>,
  ) => {
    const rows = await look([endpoint], {
      env: (name) => variables[name],
      probes: () => ({
        lookUp: () => Promise.reject(new ConnectError("dns", "not asked")),
        connect: () => Promise.reject(new ConnectError("dns", "not asked")),
        handshake: () => assert.fail("not reached"),
        login: () => assert.fail("not reached"),
      }),
    });
    return rows.find(({ stage }) => stage === "proxy")?.detail;
  };
  const HTTPS_PROXY = "http://p:3128";
  assert.equal(await refusal("a", {}), "none: HTTPS_PROXY is not set");
  assert.equal(
    await refusal("a", { HTTPS_PROXY, NO_PROXY: "a" }),
    "none: NO_PROXY names the endpoint",
  );
  assert.equal(
    await refusal("127.0.0.1", { HTTPS_PROXY, NO_PROXY: "a" }),
    "none: loopback addresses never use a proxy",
  );
  assert.equal(
    await refusal("a", { HTTPS_PROXY: "ftp://p" }),
    'Cannot use proxy "ftp://p"',
  );
});

const clusterClientRows = await makeCa();
const ca = toCaPem(clusterClientRows);
const now = new Date("2026-06-01T12:00:00Z");
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

function signPair(signer: CertificateAuthority, spec: PairSpec = {}) {
  return clientPair(signer, {
    notBefore: inDays(-9),
    notAfter: inDays(90),
    ...spec,
  });
}

Deno.test("clientRows warns of a certificate without a role", async () => {
  const pair = await signPair(clusterClientRows, {
    organizations: ["somebody"],
  });
  const [, role] = await clientRows({ ca, ...pair }, now);
  assert.deepEqual(role, {
    stage: "role",
    result: "warning",
    detail: "the client certificate has no role, so nodes refuse most calls",
    next: "Get a client certificate that has a role with: osctl config new",
  });
});

Deno.test("clientRows has nothing to look at without a certificate", async () => {
  assert.deepEqual(await clientRows({ ca }, now), [
    {
      stage: "client",
      result: "skipped",
      detail: "the context has no certificate",
    },
  ]);
});
