import assert from "node:assert/strict";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import type { Ran } from "../../_run.ts";
import { runWith, type TestContext } from "./_session.ts";
import { withWire } from "../../_wire.ts";
import { caPemOf, newCa, serverPair } from "../../transport/_certificates.ts";
import {
  startServer,
  versionPath,
  versionReply,
} from "../../transport/_server.ts";
import { client, inDays, makeCa, now } from "../../pki/_identity.ts";

/** Runs `memory` with a context whose endpoint and node is here; fails when anybody comes. */
async function refused(context: TestContext): Promise<Ran> {
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

Deno.test("a session without a client configuration names the file", async () => {
  const { err, status } = await runWith("memory --osconfig /nowhere/x", {});
  assert.equal(
    err,
    `error: Cannot read client configuration "/nowhere/x": no such file
hint: Choose one with --osconfig, or create it with: osctl config merge <file>
`,
  );
  assert.equal(status, 2);
});

Deno.test("a session of an unknown context suggests the nearest", async () => {
  const { err, status } = await runWith("memory --context ohter", {});
  assert.match(
    err,
    /^error: Cannot use context "ohter": ".*\/\.os\/config" has "lab", "other"\nhint: Did you mean "other"\?\n$/,
  );
  assert.equal(status, 2);
});

Deno.test("a certificate that has expired is refused before anything is sent", async () => {
  const { err } = await refused(
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
  const { err } = await refused(await identity({ notBefore: inDays(1) }));
  assert.equal(
    err,
    `error: Cannot use context "lab": Client certificate is valid only from 2030-06-02T12:00:00Z
hint: Check the clock of this machine; it says 2030-06-01T12:00:00Z
`,
  );
});

Deno.test("a key of another certificate is refused before anything is sent", async () => {
  const [one, two] = [await identity(), await identity()];
  const { err } = await refused({ ...one, key: two.key });
  assert.equal(
    err,
    `error: Cannot use context "lab": Client key does not match the client certificate
hint: Add a matching certificate and key to the context with: osctl config add
`,
  );
});

Deno.test("a certificate that is not for clients is refused before anything is sent", async () => {
  const { err } = await refused(
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
  const { err } = await refused({ ...await identity(), key: "nonsense" });
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

Deno.test("endpoints and nodes are those of the flags, else those of the context", async () => {
  await withWire(
    { controlplanes: 1, workers: 1 },
    async ({ cluster, osctl }) => {
      const [endpoint] = cluster.endpoints;
      const nodesOf = async (line: string) => {
        const { out, err, status } = await osctl(`memory -o jsonl ${line}`);
        assert.equal(status, 0, err);
        return out.trimEnd().split("\n").map((row) => JSON.parse(row).node);
      };
      assert.deepEqual(await nodesOf(""), ["10.5.0.2", "10.5.0.3"]);
      assert.deepEqual(await nodesOf("-n 10.5.0.3"), ["10.5.0.3"]);
      assert.deepEqual(await nodesOf(`-n 10.5.0.3 -e ${endpoint}`), [
        "10.5.0.3",
      ]);
      const dead = await osctl("memory -n 10.5.0.3 -e 127.0.0.1:1");
      assert.match(dead.err, /127\.0\.0\.1:1/);
      assert.equal(dead.status, 1);
    },
  );
});

Deno.test("a proxy is told the cluster of --cluster, else that of the context", async () => {
  const ca = await newCa();
  const clusters: (string | undefined)[] = [];
  await using server = await startServer({
    pair: await serverPair(ca),
    routes: {
      async *[versionPath]({ metadata }) {
        clusters.push(metadata.context);
        yield versionReply("v1.12.0");
      },
    },
  });
  const context = { ca: caPemOf(ca), endpoints: [server.endpoint] };
  await runWith("version -n a", { ...context, cluster: "west" });
  await runWith("version -n a --cluster east", { ...context, cluster: "west" });
  await runWith("version -n a", context);
  assert.deepEqual(clusters, ["west", "east", undefined]);
});

Deno.test("selectors stand for members of the cluster, which are reported before the answers", async () => {
  await withWire({ controlplanes: 1, workers: 2 }, async ({ osctl }) => {
    const { out, err, status } = await osctl("memory -n @workers -o jsonl");
    assert.equal(err, "@workers: 10.5.0.3, 10.5.0.4\n");
    const nodes = out.trimEnd().split("\n").map((row) => JSON.parse(row).node);
    assert.deepEqual(nodes, ["10.5.0.3", "10.5.0.4"]);
    assert.equal(status, 0);
  });
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
