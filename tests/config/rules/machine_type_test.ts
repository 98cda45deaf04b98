import assert from "node:assert/strict";
import {
  machineTypeRules,
  roleOf,
} from "../../../config/rules/machine_type.ts";
import { contextOf, testRules } from "./_rules.ts";

for (
  const [type, role] of [
    ["controlplane", "controlplane"],
    ["init", "controlplane"],
    ["worker", "worker"],
    ["join", "worker"],
    ["''", "worker"],
    ["Worker", "unknown"],
  ] as const
) {
  Deno.test(`roleOf type ${type} is ${role}`, () => {
    const context = contextOf(`machine: {type: ${type}}\n`, "metal");
    const root = context.documents[0]?.cursor;
    assert.ok(root);
    assert.equal(roleOf(root), role);
  });
}

testRules("machineTypeRules", machineTypeRules, [
  ["takes a worker", "machine: {type: worker}", []],
  ["takes a first control plane", "machine: {type: init}", []],
  ["warns of an alias", "machine: {type: join}", [
    'warning machine.type: Machine type "join" is an old word',
  ]],
  ["warns of a missing type", "machine: {}", [
    "warning machine.type: Machine type is not given, which makes a worker",
  ]],
  ["refuses other words", "machine: {type: master}", [
    'error machine.type: Machine type "master" does not exist',
  ]],
]);
