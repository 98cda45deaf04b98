import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const pod = "kube-system/coredns-1";

const containers = [
  {
    namespace: "k8s.io",
    id: `${pod}:coredns`,
    podId: pod,
    name: "coredns",
    image: "registry.example/coredns:v1",
    pid: 4_294_967_295,
    status: "CONTAINER_RUNNING",
  },
  {
    namespace: "k8s.io",
    id: pod,
    podId: pod,
    name: "coredns-1",
    image: "registry.example/pause:3",
    pid: 7,
    status: "SANDBOX_READY",
    networkNamespace: "/run/netns/x",
  },
];

const node = { containers: () => ({ messages: [{ containers }] }) };

Deno.test("containers lists what is in a pod below the pod", async () => {
  const { out, err, status } = await run("containers -k", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       NAMESPACE   ID                                 IMAGE                         PID          STATUS
10.0.0.2   k8s.io      kube-system/coredns-1              registry.example/pause:3      7            SANDBOX_READY
10.0.0.2   k8s.io      └─ kube-system/coredns-1:coredns   registry.example/coredns:v1   4294967295   CONTAINER_RUNNING
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("containers asks the system's runtime, or that of Kubernetes", async () => {
  const asked: unknown[] = [];
  const recording = {
    containers(request: unknown) {
      asked.push(request);
      return { messages: [{ containers }] };
    },
  };
  await run("c", { a: recording });
  await run("containers --kubernetes --use-cri", { a: recording });
  assert.deepEqual(asked, [
    { namespace: "system", driver: 0 },
    { namespace: "k8s.io", driver: 1 },
  ]);
});

Deno.test("containers -o jsonl carries every field", async () => {
  const { out } = await run("containers -k -o jsonl", { a: node });
  assert.deepEqual(JSON.parse(out.split("\n")[0] ?? ""), {
    node: "a",
    namespace: "k8s.io",
    id: "kube-system/coredns-1",
    podId: "kube-system/coredns-1",
    name: "coredns-1",
    image: "registry.example/pause:3",
    pid: 7,
    status: "SANDBOX_READY",
    networkNamespace: "/run/netns/x",
  });
});

Deno.test("containers still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("containers -o jsonpath=.node", {
    a: node,
    b: {
      containers: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
    },
    c: node,
  });
  assert.equal(out, "a\na\nc\nc\n");
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("containers refuses an argument", async () => {
  const { err, status } = await run("containers etcd");
  assert.match(err, /^error: .*"etcd"/);
  assert.equal(status, 2);
});
