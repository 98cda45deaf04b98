import assert from "node:assert/strict";
import {
  formatApiVersion,
  kinds,
  qualifiedKind,
} from "../../../simulator/state/kubernetes_objects.ts";

Deno.test("kinds have the versions and names that objects and messages spell", () => {
  assert.deepEqual(
    Object.values(kinds).map((kind) =>
      `${formatApiVersion(kind)} ${qualifiedKind(kind)}`
    ),
    [
      "v1 namespaces",
      "v1 nodes",
      "v1 pods",
      "apps/v1 daemonsets.apps",
      "apps/v1 deployments.apps",
      "apps/v1 replicasets.apps",
      "policy/v1 poddisruptionbudgets.policy",
      "v1 services",
      "v1 serviceaccounts",
      "v1 configmaps",
      "v1 secrets",
      "v1 events",
      "rbac.authorization.k8s.io/v1 roles.rbac.authorization.k8s.io",
      "rbac.authorization.k8s.io/v1 rolebindings.rbac.authorization.k8s.io",
      "rbac.authorization.k8s.io/v1 clusterroles.rbac.authorization.k8s.io",
      "rbac.authorization.k8s.io/v1 clusterrolebindings.rbac.authorization.k8s.io",
      "coordination.k8s.io/v1 leases.coordination.k8s.io",
    ],
  );
});
