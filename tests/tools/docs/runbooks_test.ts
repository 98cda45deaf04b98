import assert from "node:assert/strict";
import { runbookPages } from "../../../tools/docs/runbooks.ts";

const none = { inputs: [], outputs: [] };

Deno.test("runbookPages has a page for each topic, and one with values and functions", () => {
  const pages = runbookPages([
    {
      name: "etcd.snapshot",
      kind: "module",
      summary: "Save a snapshot",
      facts: { effect: "read", timeout: "5m" },
      inputs: [{
        name: "artifact",
        type: "string",
        summary: "File",
        initial: "required",
      }],
      outputs: [],
      example: "- id: snapshot\n  run: etcd.snapshot",
    },
    {
      ...none,
      name: "etcd.quorum",
      kind: "check",
      summary: "etcd has quorum",
      facts: { "works on": "the cluster" },
      example: "- id: quorum\n  gate: etcd.quorum",
    },
    {
      ...none,
      name: "glob",
      kind: "function",
      summary: "Whether a text matches",
      facts: { call: "glob(text, pattern)", gives: "true" },
      example: "glob('a', '*')",
    },
  ]);
  assert.deepEqual([...pages.keys()], ["README.md", "etcd.md", "values.md"]);
  assert.match(
    pages.get("README.md") ?? "",
    /^\| \[`etcd\.snapshot`\]\(etcd\.md#etcdsnapshot\) \| Save a snapshot \|$/m,
  );
  assert.match(
    pages.get("etcd.md") ?? "",
    /^# etcd\n\n## Modules\n\n[^]*### etcd\.snapshot\n\nSave a snapshot\. Effect: read; timeout: 5m\.\n[^]*\| `artifact` \| string \| required \| File \|\n[^]*## Checks\n\n[^]*### etcd\.quorum\n/m,
  );
  assert.match(
    pages.get("values.md") ?? "",
    /^\| `glob\(text, pattern\)` \| Whether a text matches \| `glob\('a', '\*'\)` \| `true` \|$/m,
  );
});

Deno.test("runbookPages names a module without a topic", () => {
  const entry = {
    ...none,
    name: "tea.brew",
    kind: "module",
    facts: {},
  } as const;
  assert.throws(
    () => runbookPages([{ ...entry, summary: "Brew tea", example: "" }]),
    /^Error: No topic for the module tea\.brew: see tools\/docs\/runbooks\.ts$/,
  );
});
