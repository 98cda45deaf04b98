import assert from "node:assert/strict";
import { runbookPage } from "../../../tools/docs/runbooks.ts";

Deno.test("runbookPage has a chapter for each entry, by kind", () => {
  const none = { inputs: [], outputs: [] };
  const page = runbookPage([
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
      name: "glob",
      kind: "function",
      summary: "Whether a text matches",
      facts: { call: "glob(text, pattern)", gives: "true" },
      example: "glob('a', '*')",
    },
  ]);
  assert.match(
    page,
    /## Modules\n\n[^]*### etcd\.snapshot\n\nSave a snapshot\. Effect: read; timeout: 5m\.\n/,
  );
  assert.ok(page.includes("| `artifact` | string | required | File |"));
  assert.ok(
    page.includes(
      "| `glob(text, pattern)` | Whether a text matches | `glob('a', '*')` | `true` |",
    ),
  );
});
