import assert from "node:assert/strict";
import {
  plannedRow,
  plannedText,
} from "../../../commands/_configure/apply_plan.ts";
import type { Intended } from "../../../workflows/configuration/guards.ts";
import type { ApplyMode } from "../../../workflows/operations/apply_config.ts";
import { documentsOf } from "../../config/change/_documents.ts";

const live = "machine: {type: worker, token: old}\n";

function intended(wanted: string): Intended {
  return {
    node: "a",
    live: { text: live, documents: documentsOf(live) },
    version: "1.12",
    platform: "metal",
    wanted: documentsOf(wanted),
  };
}

Deno.test("plannedRow says when a change takes effect, by mode", () => {
  const effects = (wanted: string) =>
    (["auto", "no-reboot", "reboot", "staged", "try"] as const).map((
      mode: ApplyMode,
    ) => plannedRow(intended(wanted), mode).takesEffect);
  assert.deepEqual(effects(live), [
    "never",
    "never",
    "reboot",
    "never",
    "never",
  ]);
  assert.deepEqual(
    effects("machine: {type: worker, token: old, sysctls: {a: b}}"),
    ["now", "now", "reboot", "next-reboot", "now"],
  );
  assert.deepEqual(effects("machine: {type: worker, token: new}"), [
    "reboot",
    "refused",
    "reboot",
    "next-reboot",
    "refused",
  ]);
});

Deno.test("plannedText shows documents, hides secrets and names what needs a reboot", () => {
  const row = plannedRow(
    intended(`machine: {type: worker, token: new}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: x
`),
    "auto",
  );
  assert.deepEqual(row.rebootFor, ["machine.token"]);
  assert.equal(
    plannedText(row),
    `a: v1alpha1 changed
@@ -1,6 +1,6 @@
 version: ""
 machine:
     type: worker
-    token: '******'
+    token: '****** (new)'
     certSANs: []
 cluster: null
a: HostnameConfig added
@@ -0,0 +1,3 @@
+apiVersion: v1alpha1
+kind: HostnameConfig
+hostname: x
a: would take effect with a reboot (machine.token)
`,
  );
});

Deno.test("plannedText shows all of a first configuration, and hides its secrets", () => {
  const row = plannedRow({ ...intended(live), live: undefined }, "auto");
  assert.equal(row.takesEffect, "first");
  const text = plannedText(row);
  assert.match(text, /^a: v1alpha1 added\n/);
  assert.match(text, /\na: would be its first configuration\n$/);
  assert.doesNotMatch(text, /old/);
});

Deno.test("plannedText says when nothing changes", () => {
  assert.equal(
    plannedText(plannedRow(intended(live), "auto")),
    "a: no change\n",
  );
});
