import assert from "node:assert/strict";
import {
  ConfigError,
  type ConnectCause,
  ConnectError,
  RpcError,
} from "../../../errors.ts";
import { decodePemAs, pemLabel } from "../../../pki/pem.ts";
import {
  type EndpointCheck,
  endpointRows,
  failedStage,
} from "../../../commands/_doctor/check_endpoint.ts";
import { serverPair, toCaPem } from "../../transport/_certificates.ts";
import { makeCa, target as known } from "./_endpoint.ts";

const cluster = await makeCa();
const pair = await serverPair(cluster);
const [certificate = new Uint8Array()] = decodePemAs(
  pemLabel.certificate,
  pair.crt,
);
const target = { ...known, now: new Date() };

const good: EndpointCheck = {
  target,
  isAddress: false,
  proxy: undefined,
  proxyReason: "HTTPS_PROXY is not set",
  ca: toCaPem(cluster),
  noLogin: undefined,
  doubt: undefined,
  clock: () => 0,
  probes: {
    lookUp: () => Promise.resolve(["10.0.0.1", "::1"]),
    connect: () => Promise.resolve(),
    handshake: () => Promise.resolve({ protocol: "TLSv1.3", certificate }),
    login: () => Promise.resolve(),
  },
};

function fails(cause: ConnectCause) {
  const message = `Cannot connect to "${target.text}": seen ${cause}`;
  return () => Promise.reject(new ConnectError(cause, message, { hint: "h" }));
}

async function checkRows(
  probes: Partial<EndpointCheck["probes"]>,
  check: Partial<EndpointCheck> = {},
) {
  const all = { ...good, ...check, probes: { ...good.probes, ...probes } };
  return await Array.fromAsync(endpointRows(all));
}

const failures: readonly [
  keyof EndpointCheck["probes"],
  string,
  ConnectCause,
  string,
][] = [
  ["lookUp", "dns", "dns", "Check the spelling"],
  ["connect", "tcp", "refused", "Check that the node is up"],
  ["connect", "tcp", "unreachable", "Check the network"],
  ["connect", "tcp", "timeout", "Check that the node is up"],
  [
    "connect",
    "tcp",
    "proxy",
    "Check the proxy in proxy-url of the context or HTTPS_PROXY",
  ],
  ["handshake", "tls", "not-tls", "Check the port"],
  ["handshake", "tls", "reset", "Use the address of a control plane node"],
  ["login", "login", "client-missing", "Choose a context with a client"],
  ["login", "login", "client-wrong-ca", "Choose the context of this cluster"],
  ["login", "login", "reset", "Check that the context belongs to"],
];

for (const [probe, stage, cause, next] of failures) {
  Deno.test(`endpointRows ends at ${stage} with ${cause}`, async () => {
    const rows = await checkRows({ [probe]: fails(cause) });
    const last = rows.at(-1);
    assert.ok(last?.result === "failed");
    assert.equal(last.stage, stage);
    assert.equal(last.cause, cause);
    assert.equal(last.detail, `seen ${cause}`);
    assert.ok(last.next.startsWith(next), last.next);
    assert.ok(rows.slice(0, -1).every(({ result }) => result === "ok"));
  });
}

Deno.test("failedStage has no cause for what is not about the connection", () => {
  const row = failedStage(
    "proxy",
    new ConfigError("No", { hint: "H" }),
    target,
  );
  assert.deepEqual(row, {
    stage: "proxy",
    result: "failed",
    detail: "No",
    cause: undefined,
    next: "H",
  });
  const bare = failedStage("api", new RpcError("INTERNAL", "no"), target);
  assert.ok(bare.result === "failed");
  assert.equal(bare.next, "Try another endpoint with --endpoints");
  assert.throws(() => failedStage("api", new TypeError("bug"), target), {
    message: "bug",
  });
});
