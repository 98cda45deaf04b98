import assert from "node:assert/strict";
import { apiOf, webPod } from "./_api.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

Deno.test("objects are made, read, listed, replaced and removed", async () => {
  const { ask, answer } = await apiOf();
  const made = answer(`POST ${leases}`, {
    metadata: { name: "run" },
    spec: { holderIdentity: "one" },
  });
  assert.equal(made.code, 201);
  const lease = ask(`GET ${leases}/run`);
  assert.deepEqual(made.body, lease);
  const list = ask(`GET ${leases}`);
  assert.equal(list.kind, "LeaseList");
  assert.deepEqual(list.items, [lease]);
  const spec = { holderIdentity: "two" };
  assert.deepEqual(ask(`PUT ${leases}/run`, { ...lease, spec }).spec, spec);
  assert.equal(answer(`PUT ${leases}/run`, { ...lease, spec }).code, 409);
  assert.equal(answer(`DELETE ${leases}/run`).code, 200);
  assert.equal(answer(`GET ${leases}/run`).code, 404);
});

Deno.test("pods are selected by labels and fields", async () => {
  const { ask, pods } = await apiOf({ workers: 2 });
  const path = "/api/v1/namespaces/default/pods";
  ask(`POST ${path}`, webPod("a", "lab-worker-1"));
  ask(`POST ${path}`, webPod("b", "lab-worker-2"));
  assert.deepEqual(pods("labelSelector=app%3Dweb"), ["a", "b"]);
  assert.deepEqual(
    pods("labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dlab-worker-2"),
    ["b"],
  );
});

for (
  const [line, code, message] of [
    [
      "GET /api/v1/nodes/nobody",
      404,
      'nodes "nobody" not found',
    ],
    [
      "GET /api/v1/nothing",
      404,
      "the server could not find the requested resource",
    ],
    [
      "GET /else",
      404,
      "the server could not find the requested resource",
    ],
    [
      "POST /api/v1/namespaces/none/pods",
      404,
      'namespaces "none" not found',
    ],
    ["POST /api/v1/namespaces/default/pods", 400, "name must be provided"],
    [
      "DELETE /api/v1/pods",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "GET /api/v1/namespaces/default/pods/x/log",
      404,
      "the server could not find the requested resource",
    ],
    [
      "POST /api/v1/namespaces/default/pods/x/eviction",
      404,
      'pods "x" not found',
    ],
  ] as const
) {
  Deno.test(`${line} is answered with ${code}: ${message}`, async () => {
    const { answer } = await apiOf();
    const name = line.includes("none") ? "x" : "";
    const answered = answer(line, { metadata: { name } });
    assert.equal(answered.code, code);
    assert.equal((answered.body as { message: string }).message, message);
  });
}
