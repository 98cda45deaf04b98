import assert from "node:assert/strict";
import { runbookPages } from "../../../tools/docs/runbooks.ts";

Deno.test("runbookPages names a module without a topic", () => {
  const text = { name: "tea.brew", summary: "Brew tea", example: "" };
  const entry = { ...text, kind: "module", facts: {} } as const;
  assert.throws(
    () => runbookPages([{ ...entry, inputs: [], outputs: [] }]),
    /^Error: No topic for the module tea\.brew: see tools\/docs\/runbooks\.ts$/,
  );
});
