import assert from "node:assert/strict";
import { kindField, readKind } from "../../../workflows/modules/ca_kind.ts";

Deno.test("the CA of the node API is known by two names", () => {
  assert.deepEqual(kindField.values, ["os", "kubernetes", "talos"]);
  assert.equal(readKind({ kind: "talos" }), "os");
  assert.equal(readKind({ kind: "os" }), "os");
  assert.equal(readKind({ kind: "kubernetes" }), "kubernetes");
  assert.throws(() => readKind({ kind: "etcd" }), /one of os, kubernetes/);
});
