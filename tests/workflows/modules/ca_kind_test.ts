import assert from "node:assert/strict";
import {
  kindField,
  kindOf,
  osAlias,
} from "../../../workflows/modules/ca_kind.ts";

Deno.test("the CA of the node API is known by two names", () => {
  assert.equal(osAlias, "talos");
  assert.deepEqual(kindField.values, ["os", "kubernetes", "talos"]);
  assert.equal(kindOf({ kind: "talos" }), "os");
  assert.equal(kindOf({ kind: "os" }), "os");
  assert.equal(kindOf({ kind: "kubernetes" }), "kubernetes");
  assert.throws(() => kindOf({ kind: "etcd" }), /one of os, kubernetes/);
});
