import assert from "node:assert/strict";
import { typeInputs } from "../../../../../workflows/runbooks/language/typing/scope_fields.ts";
import { load } from "./_finders.ts";

const runbook = await load(`
apiVersion: osctl/v1
kind: Runbook
name: a
title: A
inputs: { a: { type: int }, b: { type: int } }
groups: { all: { role: worker } }
steps: [{ id: one, run: etcd.assess }]
`);

Deno.test("inputs that are requested before are there", () => {
  const required = (assured: Parameters<typeof typeInputs>[1]) =>
    Object.entries(typeInputs(runbook, assured).fields ?? {}).filter((
      [, field],
    ) => field.required === true).map(([name]) => name);
  assert.deepEqual(required([]), []);
  assert.deepEqual(
    required([["inputs", "b"], ["vars", "a"], ["inputs", "a", "x"], [
      "inputs",
      null,
    ]]),
    ["b"],
  );
});
