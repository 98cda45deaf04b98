import assert from "node:assert/strict";
import {
  clusterField,
  errorField,
  nodeField,
  nodesField,
} from "../../../workflows/runbook_cel/fact_fields.ts";
import type { ValueField } from "../../../workflows/runbook_cel/field.ts";
import { node, scope } from "./_scope.ts";

function keys(field: ValueField | undefined): string[] {
  return Object.keys(field?.fields ?? {}).sort();
}

Deno.test("every fact of a node and of the cluster has a type", () => {
  const one = node("n");
  assert.deepEqual(keys(nodeField), Object.keys(one).sort());
  assert.deepEqual(keys(nodeField.fields?.etcd), Object.keys(one.etcd).sort());
  assert.deepEqual(keys(nodeField.fields?.caps), Object.keys(one.caps).sort());
  assert.deepEqual(keys(clusterField), Object.keys(scope.cluster).sort());
  assert.deepEqual(keys(errorField), Object.keys(scope.error).sort());
  assert.equal(nodesField.items, nodeField);
});
