import assert from "node:assert/strict";
import { kinds } from "../../../simulator/state/kubernetes_objects.ts";
import { createStore, timestamp } from "../../../simulator/kubernetes/store.ts";
import { noon } from "../_node.ts";

const lease = { metadata: { name: "run", namespace: "default" } };

Deno.test("a store makes identities, ages and versions", () => {
  const store = createStore({ now: () => noon });
  const made = store.create(kinds.leases, lease);
  assert.equal(made.apiVersion, "coordination.k8s.io/v1");
  assert.equal(made.kind, "Lease");
  assert.equal(made.metadata.creationTimestamp, "2026-03-01T12:00:00Z");
  assert.equal(made.metadata.resourceVersion, store.version());
  assert.match(made.metadata.uid, /^[0-9a-f-]{36}$/);
  assert.throws(() => store.create(kinds.leases, lease), { code: 409 });
});

Deno.test("of two who replace the same version, one is refused", () => {
  const store = createStore({ now: () => noon });
  const made = store.create(kinds.leases, lease);
  const spec = { holderIdentity: "one" };
  const replaced = store.replace(kinds.leases, { ...made, spec });
  assert.equal(replaced.metadata.uid, made.metadata.uid);
  assert.throws(() => store.replace(kinds.leases, { ...made, spec }), {
    code: 409,
    message:
      'Operation cannot be fulfilled on leases.coordination.k8s.io "run": the object has been modified; please apply your changes to the latest version and try again',
  });
  assert.deepEqual(store.get(kinds.leases, lease.metadata).spec, spec);
});

Deno.test("namespaces and kinds are apart, and what is removed is not there", () => {
  const store = createStore({ now: () => noon });
  store.create(kinds.leases, lease);
  assert.equal(store.find(kinds.pods, lease.metadata), undefined);
  assert.deepEqual(store.list(kinds.leases, "kube-system"), []);
  assert.equal(store.list(kinds.leases).length, 1);
  store.remove(kinds.leases, lease.metadata);
  assert.throws(() => store.get(kinds.leases, lease.metadata), { code: 404 });
});

Deno.test("timestamp has no fractions", () => {
  assert.equal(timestamp(noon + 1), "2026-03-01T12:00:00Z");
});
