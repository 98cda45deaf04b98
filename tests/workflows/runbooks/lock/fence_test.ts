import assert from "node:assert/strict";
import { LockedError } from "../../../../errors.ts";
import type { Transport } from "../../../../transport/call/call.ts";
import { nodeClient } from "../../../../transport/call/client.ts";
import type { Kubernetes } from "../../../../workflows/kubernetes/client.ts";
import { createFence } from "../../../../workflows/runbooks/lock/fence.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const { signal } = new AbortController();

function fenced() {
  const sent: string[] = [];
  const inner: Transport = {
    unary(method) {
      sent.push(method.path);
      // Whatever it would be decoded from.
      return Promise.resolve({} as never);
    },
    async *stream(method) {
      sent.push(method.path);
      yield await Promise.reject(new Error());
    },
    close() {},
  };
  const requests: Kubernetes = {
    request(path, { method = "GET" }) {
      sent.push(`${method} ${path}`);
      return Promise.resolve({});
    },
    [Symbol.dispose]() {},
  };
  const fence = createFence();
  const client = nodeClient("n1", fence.transport(inner), { signal });
  const kubernetes = fence.kubernetes(requests);
  return { fence, sent, client, kubernetes };
}

Deno.test("an open fence lets everything pass", async () => {
  const { client, kubernetes, sent } = fenced();
  await client.machine.reboot({});
  await kubernetes.request("/api/v1/nodes/a", { method: "PATCH", signal });
  assert.deepEqual(sent, [
    "/machine.MachineService/Reboot",
    "PATCH /api/v1/nodes/a",
  ]);
});

Deno.test("a closed fence asks before each change, and before nothing else", async () => {
  const { fence, client, kubernetes, sent } = fenced();
  let asked = 0;
  fence.close(() => Promise.resolve(void asked++));
  await client.machine.version({});
  await Array.fromAsync(client.machine.etcdSnapshot({})).catch(() => {});
  await kubernetes.request("/api/v1/nodes", { signal });
  await kubernetes.request(`${leases}/osctl-runbook`, {
    method: "PUT",
    signal,
  });
  assert.deepEqual([asked, sent.length], [0, 4]);
  await client.machine.reboot({});
  await kubernetes.request("/api/v1/nodes/a", { method: "DELETE", signal });
  assert.equal(asked, 2);
});

Deno.test("fence: forbidden requests are not sent", async () => {
  const { fence, client, kubernetes, sent } = fenced();
  const lost = new LockedError("The lock is lost");
  fence.close(() => Promise.reject(lost));
  await assert.rejects(client.machine.reboot({}), lost);
  await assert.rejects(
    kubernetes.request("/api/v1/nodes/a", { method: "PATCH", signal }),
    lost,
  );
  await assert.rejects(fence.leave("/machine.MachineService/Reset"), lost);
  await fence.leave("/machine.MachineService/Version");
  assert.deepEqual(sent, []);
});
