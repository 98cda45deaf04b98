import assert from "node:assert/strict";
import { rebootNeed } from "../../../config/change/reboot_need.ts";
import { parseDocuments } from "./_documents.ts";

function need(from: string, to: string): readonly string[] {
  return rebootNeed(parseDocuments(from), parseDocuments(to));
}

const base = `machine:
  type: worker
  network: {hostname: a}
  features: {rbac: true, kubePrism: {enabled: true, port: 7445}}
cluster:
  clusterName: one
`;

Deno.test("rebootNeed names nothing when nothing or only what takes effect at once changes", () => {
  assert.deepEqual(need(base, base), []);
  assert.deepEqual(
    need(
      base,
      `machine:
  type: worker
  network: {hostname: b}
  sysctls: {a: "1"}
  features: {rbac: true, kubePrism: {enabled: false}}
cluster:
  clusterName: two
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: b
`,
    ),
    [],
  );
});

Deno.test("rebootNeed names what needs one", () => {
  assert.deepEqual(
    need(
      base,
      `persist: true
machine:
  type: controlplane
  network: {hostname: a}
  env: {A: b}
  features: {rbac: false, kubePrism: {enabled: true, port: 7445}}
cluster:
  clusterName: one
`,
    ),
    ["persist", "machine.type", "machine.env", "machine.features.rbac"],
  );
});
