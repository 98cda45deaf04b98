import assert from "node:assert/strict";
import { OsctlError, RpcError } from "../../../../errors.ts";
import type {
  HealthRow,
} from "../../../../workflows/checks/health/run_health.ts";
import { serverHealth } from "../../../../workflows/checks/health/server_health.ts";
import { fakeNodes } from "../../../_fake.ts";

/** Result of a node's answer; an error is its message. */
async function run(
  said: readonly (string | Error | { error: string })[],
  timeoutMs = 90_500,
) {
  const rows: HealthRow[] = [];
  const messages: string[] = [];
  const asked: unknown[] = [];
  let now = 0;
  const a = {
    etcdAlarmList: () => ({ messages: [{ memberAlarms: [] }] }),
    async *healthCheck(request: unknown) {
      asked.push(request);
      for (const one of said) {
        await Promise.resolve();
        now += 1_500;
        if (one instanceof Error) throw one;
        if (typeof one === "string") yield { message: one };
        else yield { metadata: one };
      }
    },
  };
  let failure: unknown;
  try {
    const client = await fakeNodes({ a }).nodes.at("a");
    const question = {
      controlPlanes: ["c1"],
      workers: ["w1"],
      endpoint: "k8s",
    };
    const wait = {
      timeoutMs,
      clock: { now: () => now, sleep: () => Promise.resolve() },
      report: (check: string, text: string) =>
        void messages.push(`${check}: ${text}`),
    };
    for await (const row of serverHealth(client, question, wait)) {
      rows.push(row);
    }
  } catch (error) {
    failure = error;
  }
  return { rows, messages, asked, failure };
}

Deno.test("server health: progress of the node becomes rows, and the request names the nodes", async () => {
  const { rows, messages, asked, failure } = await run([
    'discovered nodes: ["c1" "w1"]',
    "waiting for etcd to be healthy: ...",
    'waiting for etcd to be healthy: c1: state "Preparing": not yet',
    "waiting for etcd to be healthy: OK",
    "waiting for kube-proxy to report ready: ...",
    "waiting for kube-proxy to report ready: SKIP",
  ]);
  assert.equal(failure, undefined);
  assert.deepEqual(rows, [
    { check: "etcd to be healthy", state: "ok", reason: "", took: 3 },
    {
      check: "kube-proxy to report ready",
      state: "skipped",
      reason: "the node skips it",
      took: 1.5,
    },
  ]);
  assert.deepEqual(messages, [
    ": discovered nodes: c1, w1",
    "etcd to be healthy: ...",
    'etcd to be healthy: c1: state "Preparing": not yet',
    "kube-proxy to report ready: ...",
  ]);
  assert.deepEqual(asked, [{
    waitTimeout: { seconds: 90n, nanos: 500_000_000 },
    clusterInfo: {
      controlPlaneNodes: ["c1"],
      workerNodes: ["w1"],
      forceEndpoint: "k8s",
    },
  }]);
});

Deno.test("server health: reasons are reworded, and many nodes are counted", async () => {
  const nodes = Array.from({ length: 500 }, (_, i) => `"w${i}"`).join(" ");
  const { messages } = await run([
    `discovered nodes: [${nodes}]`,
    'waiting for apid to be ready: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.2:50000: connect: connection refused"',
  ]);
  assert.deepEqual(messages, [
    ": discovered nodes: w0, w1, w2, and 497 more",
    "apid to be ready: cannot connect to 10.0.0.2:50000: connection refused",
  ]);
});

Deno.test("a node that gives up when the time is up has had all of it", async () => {
  const late = new RpcError("DEADLINE_EXCEEDED", "context deadline exceeded");
  const { failure } = await run([
    "waiting for etcd to be healthy: ...",
    "waiting for etcd to be healthy: OK",
    "waiting for apid to be ready: no route",
    late,
  ], 6_000);
  assert.ok(failure instanceof OsctlError);
  assert.equal(
    failure.message,
    "Timed out after 6 s waiting for apid to be ready: no route",
  );
});

Deno.test("other failures are the node's own, and old nodes are gone around", async () => {
  const reported = await run([{ error: "no kubeconfig" }]);
  assert.ok(reported.failure instanceof RpcError);
  assert.equal(reported.failure.message, "no kubeconfig");
  const unknown = new RpcError("UNIMPLEMENTED", "not implemented");
  const old = await run([unknown]);
  assert.ok(old.failure instanceof RpcError);
  assert.equal(old.failure.hint, "Check from this machine with --server=false");
  const broken = await run([new TypeError("a bug")]);
  assert.ok(broken.failure instanceof TypeError);
  const early = await run([new RpcError("DEADLINE_EXCEEDED", "late")]);
  assert.deepEqual(early.rows, []);
  assert.ok(early.failure instanceof RpcError);
});
