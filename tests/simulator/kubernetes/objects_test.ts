import assert from "node:assert/strict";
import {
  apiVersionOf,
  fieldsOf,
  kinds,
  qualifiedKind,
} from "../../../simulator/kubernetes/objects.ts";

Deno.test("kinds have the versions and names that objects and messages spell", () => {
  assert.deepEqual(
    Object.values(kinds).map((kind) =>
      `${apiVersionOf(kind)} ${qualifiedKind(kind)}`
    ),
    [
      "v1 namespaces",
      "v1 nodes",
      "v1 pods",
      "apps/v1 daemonsets.apps",
      "apps/v1 deployments.apps",
      "apps/v1 replicasets.apps",
      "policy/v1 poddisruptionbudgets.policy",
      "coordination.k8s.io/v1 leases.coordination.k8s.io",
    ],
  );
});

Deno.test("fieldsOf gives fields of maps, and none of anything else", () => {
  assert.deepEqual(fieldsOf({ a: 1 }), { a: 1 });
  assert.deepEqual([fieldsOf(null), fieldsOf(1), fieldsOf(undefined)], [
    {},
    {},
    {},
  ]);
});
