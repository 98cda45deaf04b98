import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { validateDocuments } from "../../../config/validate.ts";
import { newerCases } from "./_newer_kinds.ts";

for (const [kind, text, expected] of newerCases) {
  Deno.test(`${kind}: ${text.replaceAll("\n", "; ").slice(0, 60)}`, () => {
    const given = text.replace(/^\{\}$/, "");
    const loaded = loadDocuments(
      `apiVersion: v1alpha1\nkind: ${kind}\n${given}\n`,
      "f",
    );
    const found = validateDocuments(loaded, { mode: "metal" });
    for (const { message, hint } of found) {
      assert.match(`${message}\n${hint}`, /^["\w].*[^.]\n["A-Z].*[^.]$/);
    }
    assert.deepEqual(
      found.map(({ level, path, message }) => `${level} ${path}: ${message}`)
        .toSorted(),
      expected.toSorted(),
    );
  });
}
