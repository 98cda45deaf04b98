import assert from "node:assert/strict";
import {
  plannedRow,
  plannedText,
} from "../../../commands/_configure/apply_plan.ts";
import type { Intended } from "../../../workflows/configuration/guards.ts";
import type { ApplyMode } from "../../../workflows/operations/node/apply_config.ts";
import { parseDocuments } from "../../config/change/_documents.ts";

const live = "machine: {type: worker, token: old}\n";

function makeIntended(wanted: string): Intended {
  return {
    node: "a",
    live: { text: live, documents: parseDocuments(live) },
    version: "1.12",
    platform: "metal",
    wanted: parseDocuments(wanted),
  };
}

const { signal } = new AbortController();

Deno.test("plannedRow says when a change takes effect, by mode", async () => {
  const effects = async (wanted: string) => {
    const found: string[] = [];
    const modes: readonly ApplyMode[] = [
      ...["auto", "no-reboot", "reboot", "staged", "try"] as const,
    ];
    for (const mode of modes) {
      const row = await plannedRow(makeIntended(wanted), mode, signal);
      found.push(row.takesEffect);
    }
    return found;
  };
  assert.deepEqual(await effects(live), [
    "never",
    "never",
    "reboot",
    "never",
    "never",
  ]);
  assert.deepEqual(
    await effects("machine: {type: worker, token: old, sysctls: {a: b}}"),
    ["now", "now", "reboot", "next-reboot", "now"],
  );
  assert.deepEqual(await effects("machine: {type: worker, token: new}"), [
    "reboot",
    "refused",
    "reboot",
    "next-reboot",
    "refused",
  ]);
});

Deno.test("plannedRow says what nodes from v1.14 on refuse: mode reboot; they never reboot for a change", async () => {
  const changed = {
    ...makeIntended("machine: {type: worker, token: new}"),
    version: "1.14",
  } as const;
  const effects: string[] = [];
  for (const mode of ["auto", "no-reboot", "staged", "try"] as const) {
    const row = await plannedRow(changed, mode, signal);
    assert.deepEqual(row.rebootFor, []);
    effects.push(row.takesEffect);
  }
  assert.deepEqual(effects, ["now", "now", "next-reboot", "now"]);
  const row = await plannedRow(changed, "reboot", signal);
  assert.deepEqual(
    [row.takesEffect, row.refusal],
    [
      "refused",
      "v1.14 does not support --mode reboot; use --mode auto, then osctl reboot",
    ],
  );
  assert.match(
    plannedText(row),
    /\na: would be refused: v1\.14 does not support --mode reboot; use --mode auto, then osctl reboot\n$/,
  );
  // Without a configuration nothing is rebooted in either version.
  const first = { ...changed, live: undefined };
  assert.equal(
    (await plannedRow(first, "reboot", signal)).takesEffect,
    "first",
  );
});

Deno.test("plannedText shows documents, hides secrets and names what needs a reboot", async () => {
  const row = await plannedRow(
    makeIntended(`machine: {type: worker, token: new}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: x
`),
    "auto",
    signal,
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

Deno.test("plannedText shows all of a first configuration, and hides its secrets", async () => {
  const first = { ...makeIntended(live), live: undefined };
  const row = await plannedRow(first, "auto", signal);
  assert.equal(row.takesEffect, "first");
  const text = plannedText(row);
  assert.match(text, /^a: v1alpha1 added\n/);
  assert.match(text, /\na: would be its first configuration\n$/);
  assert.doesNotMatch(text, /old/);
});

Deno.test("plannedRow ends between two parts of a comparison when it is interrupted", async () => {
  // Enough for an engine that has compared others before, which takes a third of the time.
  const keys = (value: string) =>
    `machine:\n  sysctls:\n${
      Array.from({ length: 32_000 }, (_, i) => `    key.${i}: ${value}\n`).join(
        "",
      )
    }`;
  const large = {
    ...makeIntended(keys("one")),
    live: { text: "", documents: parseDocuments(keys("two")) },
  };
  let asked = 0;
  const ended = plannedRow(large, "auto", {
    throwIfAborted() {
      asked++;
      throw new RangeError("interrupted");
    },
  });
  await assert.rejects(ended, /interrupted/);
  assert.equal(asked, 1);
});
