import assert from "node:assert/strict";
import { applyInputs } from "../../../commands/_configure/apply_inputs.ts";
import { InputProblem } from "../../../commands/_kit/inputs.ts";

Deno.test("--allow takes the rules of configurations and those of the quorum", () => {
  assert.deepEqual(
    applyInputs.allow.parse("same-file, etcd-quorum", ["skew"]),
    ["skew", "same-file", "etcd-quorum"],
  );
  assert.throws(
    () => applyInputs.allow.parse("everything", undefined),
    InputProblem,
  );
});

Deno.test("--check takes several checks, and none that does not exist", () => {
  assert.deepEqual(applyInputs.check.parse("etcd,kubelet", undefined), [
    "etcd",
    "kubelet",
  ]);
  assert.throws(
    () => applyInputs.check.parse("etcd,health", undefined),
    InputProblem,
  );
});
