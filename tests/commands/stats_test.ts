import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const pod = "kube-system/coredns-1";

const stats = [
  {
    namespace: "k8s.io",
    id: `${pod}:coredns:0123456789ab`,
    podId: pod,
    name: "coredns",
    memoryUsage: 14_155_776n,
    cpuUsage: 8_214_000_001n,
  },
  {
    namespace: "k8s.io",
    id: pod,
    podId: pod,
    name: "coredns-1",
    memoryUsage: 282_624n,
    cpuUsage: 0n,
  },
];

const node = { stats: () => ({ messages: [{ stats }] }) };

Deno.test("stats shows what is in a pod below the pod", async () => {
  const { out, err, status } = await run("stats -k", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       NAMESPACE   ID                                              MEMORY(MB)   CPU
10.0.0.2   k8s.io      kube-system/coredns-1                           0.28         0
10.0.0.2   k8s.io      └─ kube-system/coredns-1:coredns:0123456789ab   14.16        8214000001
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("stats asks the system's runtime, or that of Kubernetes", async () => {
  const asked: unknown[] = [];
  const recording = {
    stats(request: unknown) {
      asked.push(request);
      return { messages: [{ stats }] };
    },
  };
  await run("stats", { a: recording });
  await run("stats --kubernetes --use-cri", { a: recording });
  assert.deepEqual(asked, [
    { namespace: "system", driver: 0 },
    { namespace: "k8s.io", driver: 1 },
  ]);
});

Deno.test("stats -o jsonl has bytes and seconds, also when a node fails", async () => {
  const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  const { out, status } = await run("stats -k -o jsonl", {
    a: node,
    b: { stats: gone },
  });
  const rows = out.trim().split("\n").map((row) => JSON.parse(row));
  assert.deepEqual(rows[1], {
    node: "a",
    namespace: "k8s.io",
    id: "kube-system/coredns-1:coredns:0123456789ab",
    podId: "kube-system/coredns-1",
    name: "coredns",
    memory: 14_155_776,
    cpuTime: 8.214000001,
  });
  assert.equal(rows.at(-1).error.code, "UNAVAILABLE");
  assert.equal(status, 3);
});
