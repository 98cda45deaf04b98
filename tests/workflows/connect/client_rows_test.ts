import assert from "node:assert/strict";
import type { Authority } from "../../../pki/certificate.ts";
import { clientRows } from "../../../workflows/connect/client_rows.ts";
import {
  authorityPem,
  clientPair as pairOf,
  type PairSpec,
} from "../../transport/_certificates.ts";
import { authority } from "./_target.ts";

const cluster = await authority();
const ca = authorityPem(cluster);
const now = new Date("2026-06-01T12:00:00Z");
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

function clientPair(signer: Authority, spec: PairSpec = {}) {
  return pairOf(signer, {
    notBefore: inDays(-9),
    notAfter: inDays(90),
    ...spec,
  });
}

Deno.test("clientRows tells end and roles of a good certificate", async () => {
  const pair = await clientPair(cluster, {
    organizations: ["os:reader", "os:etcd:backup", "else"],
    notAfter: new Date("2099-01-02T03:04:05Z"),
  });
  assert.deepEqual(await clientRows({ ca, ...pair }, now), [
    {
      stage: "client",
      result: "ok",
      detail: "valid until 2099-01-02T03:04:05Z",
    },
    { stage: "role", result: "ok", detail: "os:etcd:backup, os:reader" },
  ]);
});

Deno.test("clientRows warns of a certificate that ends soon", async () => {
  const pair = await clientPair(cluster, { notAfter: inDays(3) });
  const [row, role] = await clientRows({ ca, ...pair }, now);
  assert.ok(row?.result === "warning");
  assert.equal(row.cause, "client-expired");
  assert.match(row.detail, /expires on 2026-06-04T12:00:00Z/);
  assert.equal(role?.detail, "os:admin");
});

Deno.test("clientRows names a certificate that cannot be used", async () => {
  const pair = await clientPair(cluster, { notAfter: inDays(-2) });
  const rows = await clientRows({ ca, ...pair }, now);
  assert.deepEqual(rows.map(({ stage, result }) => [stage, result]), [
    ["client", "failed"],
  ]);
  const [row] = rows;
  assert.ok(row?.result === "failed");
  assert.equal(row.cause, "client-expired");
  assert.match(row.next, /osctl config renew/);
});

Deno.test("clientRows doubts a certificate of another authority", async () => {
  const pair = await clientPair(await authority());
  const [row] = await clientRows({ ca, ...pair }, now);
  assert.ok(row?.result === "warning");
  assert.equal(row.cause, "client-wrong-ca");
});

Deno.test("clientRows warns of a certificate without a role", async () => {
  const pair = await clientPair(cluster, { organizations: ["somebody"] });
  const [, role] = await clientRows({ ca, ...pair }, now);
  assert.deepEqual(role, {
    stage: "role",
    result: "warning",
    detail: "the client certificate has no role, nodes refuse most calls",
    next: "Get a client certificate with a role with: osctl config new",
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
