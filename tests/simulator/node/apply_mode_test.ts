import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { RpcError } from "../../../errors.ts";
import {
  applyPlan,
  describeChange,
} from "../../../simulator/node/apply_mode.ts";
import {
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine.ts";

function documents(text: string) {
  return loadDocuments(text, "c.yaml").documents;
}

const before = documents("machine:\n  type: worker\n  token: a.b\n");
const same = { from: before, to: before };
const deep = {
  from: before,
  to: documents(
    "machine: {type: worker, token: c.d, sysctls: {x: y}, features: {rbac: true}}\n",
  ),
};
const bare = { from: undefined, to: before };

Deno.test("a reason for a reboot shows what needs it, and nothing else", () => {
  const why = `this config change can't be applied in immediate mode
diff:
--- a
+++ b
@@ -1,6 +1,8 @@
 version: ""
 machine:
     type: worker
-    token: a.b
+    token: c.d
     certSANs: []
+    features:
+        rbac: true
 cluster: null
`;
  assert.deepEqual(applyPlan(Mode.AUTO, deep, true), {
    mode: Mode.REBOOT,
    details: "Applied configuration with a reboot",
    reason: `: ${why}`,
  });
  assert.throws(
    () => applyPlan(Mode.NO_REBOOT, deep, true),
    new RpcError("INVALID_ARGUMENT", why),
  );
});

Deno.test("a change is reported with its secrets, as nodes tell it", () => {
  assert.equal(describeChange(same), "Config diff:\n\nNo changes.");
  const text = describeChange(deep);
  assert.match(text, /^Config diff:\n\n--- a\n\+\+\+ b\n@@ -1,/);
  assert.ok(text.includes("\n-    token: a.b\n+    token: c.d\n"));
  assert.match(describeChange(bare), /\+\+\+ b\n@@ -0,0 \+1,/);
});
