import assert from "node:assert/strict";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import type { Ran } from "../../_run.ts";
import { runWith, type TestContext } from "./_session.ts";

import { client, inDays, makeCa, now } from "../../pki/_identity.ts";

/** Runs `memory` with a context whose endpoint and node is here; fails when anybody comes. */
async function expectRefusal(context: TestContext): Promise<Ran> {
  let visitors = 0;
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept().then((connection) => {
    visitors++;
    connection.close();
  }, () => {}); // the listener was closed
  const here = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const ran = await runWith("memory", {
    endpoints: [here],
    nodes: ["127.0.0.1"],
    ...context,
  }, { now });
  listener.close();
  await accepted;
  assert.equal(visitors, 0);
  assert.deepEqual({ out: ran.out, status: ran.status }, {
    out: "",
    status: 2,
  });
  return ran;
}

/** PEM of a client; what differs from a good one is as in {@linkcode client}. */
async function identity(...change: Parameters<typeof client>) {
  const { ca, crt, key } = await client(...change);
  return { ca, crt, key };
}

Deno.test("a certificate that has expired is refused before anything is sent", async () => {
  const { err } = await expectRefusal(
    await identity({ notBefore: inDays(-90), notAfter: inDays(-1) }),
  );
  assert.equal(
    err,
    `error: Cannot use context "lab": Client certificate expired on 2030-05-31T12:00:00Z
hint: Renew it from a secrets bundle or a control plane configuration with: osctl config renew
`,
  );
});

Deno.test("a certificate that is not yet valid is refused before anything is sent", async () => {
  const { err } = await expectRefusal(await identity({ notBefore: inDays(1) }));
  assert.equal(
    err,
    `error: Cannot use context "lab": Client certificate is valid only from 2030-06-02T12:00:00Z
hint: Check the clock of this machine; it says 2030-06-01T12:00:00Z
`,
  );
});

Deno.test("a key of another certificate is refused before anything is sent", async () => {
  const [one, two] = [await identity(), await identity()];
  const { err } = await expectRefusal({ ...one, key: two.key });
  assert.equal(
    err,
    `error: Cannot use context "lab": Client key does not match the client certificate
hint: Add a matching certificate and key to the context with: osctl config add
`,
  );
});

Deno.test("a certificate that is not for clients is refused before anything is sent", async () => {
  const { err } = await expectRefusal(
    await identity({ extendedKeyUsage: ["serverAuth"] }),
  );
  assert.equal(
    err,
    `error: Cannot use context "lab": Client certificate is not valid for client authentication: its extended key usage allows only serverAuth
hint: Get a new client certificate with: osctl config new
`,
  );
});

Deno.test("a key that is not PEM is refused before anything is sent", async () => {
  const { err } = await expectRefusal({ ...await identity(), key: "nonsense" });
  assert.equal(
    err,
    `error: Cannot use context "lab": its "key" is not PEM
hint: "key" must be the base64 encoding of a PEM file; add the context again with: osctl config add
`,
  );
});

Deno.test("--osv1-keys-dir does not fit a context that signs nothing", async () => {
  const { err, status } = await runWith(
    "memory --osv1-keys-dir /keys",
    await identity(),
  );
  assert.match(
    err,
    /^error: Flag --osv1-keys-dir cannot be used with context "lab", which does not sign requests\nhint: Omit the flag, or choose another context with --context\n/,
  );
  assert.equal(status, 2);
});

const day = 24 * 60 * 60 * 1000;

/** A context of a cluster whose certificate ends in ten days. */
async function ending(cluster: RunningCluster): Promise<TestContext> {
  const notAfter = new Date(Date.now() + 10 * day + 60_000);
  return {
    ...await cluster.identify(["os:admin"], { notAfter }),
    endpoints: cluster.endpoints,
    nodes: ["10.5.0.2"],
  };
}

Deno.test("a certificate that ends soon is warned of, once, and not with --no-expiry-warning", async () => {
  await withCluster({}, async (cluster) => {
    const context = await ending(cluster);
    const warned = await runWith("memory", context);
    assert.match(
      warned.err,
      /^warning: Context "lab": Client certificate expires on \S+Z, in 10 days; renew it with: osctl config renew\n$/,
    );
    assert.equal(warned.status, 0);
    const quiet = await runWith("memory --no-expiry-warning", context);
    assert.deepEqual({ err: quiet.err, out: quiet.out }, {
      err: "",
      out: warned.out,
    });
  });
});

Deno.test("--no-expiry-warning hides no other warning", async () => {
  const other = await makeCa();
  const { err } = await runWith(
    "memory --no-expiry-warning --endpoints 127.0.0.1:1 --nodes a",
    { ...await identity(), ca: (await identity({ ca: other })).ca },
    { now },
  );
  assert.match(
    err,
    /^warning: Context "lab": Client certificate, signed by O=talos, is not signed by /,
  );
});

Deno.test("--insecure reads no client configuration and asks the nodes themselves", async () => {
  await withCluster({ unconfigured: () => true }, async (cluster) => {
    const [node] = cluster.endpoints;
    const line = `get machinestatus --insecure -n ${node} -o jsonl`;
    const { out, err, status } = await runWith(
      `${line} --osconfig /nowhere/x`,
      {},
    );
    assert.equal(status, 0, err);
    assert.equal(JSON.parse(out).spec.stage, "maintenance");
  });
});
