import assert from "node:assert/strict";
import {
  formatDiff,
  formatName,
  formatReference,
  locateObject,
} from "../../../workflows/kubernetes/manifest_objects.ts";

const role = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "system:coredns" },
};

const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "coredns", namespace: "kube-system" },
  data: { Corefile: "." },
};

Deno.test("objects have a name for people, a place, and a key without colons in the inventory", () => {
  assert.deepEqual([role, map].map(formatName), [
    "rbac.authorization.k8s.io/v1.ClusterRole/system:coredns",
    "v1.ConfigMap/kube-system/coredns",
  ]);
  assert.deepEqual(locateObject(map), {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "coredns",
    namespace: "kube-system",
  });
  assert.deepEqual([role, map].map(formatReference), [
    "_system__coredns_rbac.authorization.k8s.io_ClusterRole",
    "kube-system_coredns__ConfigMap",
  ]);
});

Deno.test("a diff leaves out what the API server adds", () => {
  const stored = {
    ...map,
    metadata: {
      ...map.metadata,
      uid: "1",
      generation: 3,
      annotations: { "deployment.kubernetes.io/revision": "2" },
    },
    status: { replicas: 2 },
  };
  assert.equal(formatDiff(stored, map), "");
  assert.equal(
    formatDiff(stored, { ...map, data: { Corefile: ".:53" } }),
    `@@ -1,6 +1,6 @@
 apiVersion: v1
 data:
-    Corefile: .
+    Corefile: .:53
 kind: ConfigMap
 metadata:
     name: coredns
`,
  );
});
