import assert from "node:assert/strict";
import { takeLeases } from "../../../simulator/kubernetes/take_leases.ts";
import { apiOf } from "./_api.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

Deno.test("a lease is renewed by its version, and lost when somebody else takes it", async () => {
  const { ask, answer } = await apiOf();
  const created = ask(`POST ${leases}`, {
    metadata: { name: "lock" },
    spec: { holderIdentity: "me", leaseDurationSeconds: 60 },
  });
  const renewed = answer(`PUT ${leases}/lock`, created);
  assert.equal(renewed.code, 200);
  // The version is that of before.
  assert.equal(answer(`PUT ${leases}/lock`, created).code, 409);
  takeLeases({
    request: ({ method, path, body }) => answer(`${method} ${path}`, body),
  }, 1_772_366_400_000);
  assert.deepEqual(ask(`GET ${leases}/lock`).spec, {
    holderIdentity: "elsewhere",
    leaseDurationSeconds: 60,
    acquireTime: "2026-03-01T12:00:00.000000Z",
    renewTime: "2026-03-01T12:00:00.000000Z",
    leaseTransitions: 1,
  });
  assert.equal(answer(`PUT ${leases}/lock`, renewed.body).code, 409);
});
