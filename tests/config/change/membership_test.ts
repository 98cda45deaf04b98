import assert from "node:assert/strict";
import {
  clusterDifferences,
  roleIn,
} from "../../../config/change/membership.ts";
import { documentsOf } from "./_documents.ts";

function machine(ca: string, accepted: readonly string[] = [], id = "one") {
  const list = accepted.map((crt) => `{crt: ${crt}}`).join(", ");
  return documentsOf(
    `machine: {type: worker, ca: {crt: ${ca}}, acceptedCAs: [${list}]}
cluster: {id: ${id}}
`,
  );
}

Deno.test("roleIn knows control planes and workers, and says when it is not reported", () => {
  const role = (text: string) => roleIn(documentsOf(text));
  assert.equal(role("machine: {type: controlplane}"), "controlplane");
  assert.equal(role("machine: {type: init}"), "controlplane");
  assert.equal(role("machine: {type: worker}"), "worker");
  assert.equal(role("cluster: {id: a}"), undefined);
  assert.equal(role("apiVersion: v1alpha1\nkind: HostnameConfig"), undefined);
});

Deno.test("clusterDifferences finds another identity and another CA", () => {
  assert.deepEqual(clusterDifferences(machine("A"), machine("A")), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B")), [
    "machine.ca",
  ]);
  assert.deepEqual(
    clusterDifferences(machine("A"), machine("B", [], "two")),
    ["cluster.id", "machine.ca"],
  );
});

Deno.test("clusterDifferences lets a CA be rotated", () => {
  assert.deepEqual(clusterDifferences(machine("A", ["B"]), machine("B")), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B", ["A"])), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B", ["C"])), [
    "machine.ca",
  ]);
});
