import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";
import { healthChecks } from "../../workflows/checks/health/all.ts";

/** A node that says this, and then ends as told. */
function saying(messages: readonly string[], failure?: Error) {
  return {
    async *healthCheck() {
      for (const message of messages) yield await Promise.resolve({ message });
      if (failure !== undefined) throw failure;
    },
  };
}

const healthy = [
  'discovered nodes: ["10.0.0.2"]',
  "waiting for etcd to be healthy: ...",
  "waiting for etcd to be healthy: not yet",
  "waiting for etcd to be healthy: OK",
  "waiting for kube-proxy to report ready: SKIP",
];

Deno.test("health shows what the node waits for, in columns that are known before", async () => {
  assert.deepEqual(
    await run("health", { a: saying(healthy) }).then((
      { out, err, status },
    ) => ({
      out: out.split("\n"),
      err: err.split("\n"),
      status,
    })),
    {
      out: [
        "CHECK                                         STATE     TOOK     REASON",
        "etcd to be healthy                            ok        0s",
        "kube-proxy to report ready                    skipped   0s       the node skips it",
        "",
      ],
      err: [
        'discovered nodes: ["10.0.0.2"]',
        "waiting for etcd to be healthy: not yet",
        "",
      ],
      status: 0,
    },
  );
});

Deno.test("health has a column as wide as the longest name of a check", async () => {
  const names = healthChecks.map(({ name }) => name);
  const [longest = ""] = names.sort((a, b) => b.length - a.length);
  const said = [`waiting for ${longest}: OK`];
  const { out } = await run("health", { a: saying(said) });
  assert.equal(
    out,
    `${"CHECK".padEnd(longest.length)}   STATE     TOOK     REASON
${longest}   ok        0s
`,
  );
});

Deno.test("health has rows in every format for programs", async () => {
  const row = {
    check: "etcd to be healthy",
    state: "ok",
    reason: "",
    took: 0,
  };
  const { out } = await run("health -o jsonl", { a: saying(healthy) });
  assert.deepEqual(JSON.parse(out.split("\n")[0] ?? ""), row);
  const yaml = await run("health -o yaml", { a: saying(healthy) });
  assert.match(yaml.out, /^check: etcd to be healthy\nstate: ok\n/);
});

Deno.test("health ends with 4 when the node gives up, and says what was missing", async () => {
  const late = new RpcError("DEADLINE_EXCEEDED", "context deadline exceeded");
  const { out, err, status } = await run("health -o jsonl", {
    a: saying(["waiting for apid to be ready: no route"], late),
  });
  assert.deepEqual(JSON.parse(out), {
    check: "apid to be ready",
    state: "failed",
    reason: "no route",
    took: 0,
  });
  assert.equal(
    err,
    "waiting for apid to be ready: no route\n" +
      "error: Timed out after 0 s waiting for apid to be ready: no route\n",
  );
  assert.equal(status, 4);
});

Deno.test("health refuses names where addresses are wanted, and several nodes", async () => {
  const named = await run("health --worker-nodes w1");
  assert.match(named.err, /"w1" is not an IP address/);
  assert.equal(named.status, 2);
  // One of two nodes cannot be asked for both.
  const several = await run("health -n a,b", {
    a: {},
    b: {},
  });
  assert.match(several.err, /takes one node, 2 are selected/);
  assert.equal(several.status, 2);
});

Deno.test("health refuses images of tests that it does not run", async () => {
  for (const flag of ["--e2e-image", "--e2e-results-image"]) {
    const { err, status } = await run(
      `health ${flag} registry.example.com/a:1`,
    );
    assert.equal(err.split("\n")[0], `error: Flag ${flag} needs --run-e2e`);
    assert.equal(status, 2);
  }
});

Deno.test("health hands on which nodes there have to be", async () => {
  let asked: unknown;
  const a = {
    async *healthCheck({ clusterInfo }: { readonly clusterInfo: unknown }) {
      asked = await Promise.resolve(clusterInfo);
      yield* [];
    },
  };
  const line = "health --control-plane-nodes 10.0.0.2,10.0.0.3 " +
    "--init-node 10.0.0.4 --worker-nodes 10.0.0.9 --k8s-endpoint lab:443";
  assert.equal((await run(line, { a })).status, 0);
  assert.deepEqual(asked, {
    controlPlaneNodes: ["10.0.0.2", "10.0.0.3", "10.0.0.4"],
    workerNodes: ["10.0.0.9"],
    forceEndpoint: "lab:443",
  });
});
