import assert from "node:assert/strict";
import { v1alpha1 } from "../../../config/documents/v1alpha1/top.ts";
import { boolean } from "../../../config/documents/scalars/scalars.ts";
import { documentPages } from "../../../tools/docs/documents.ts";

// No field ends in a release yet.
Deno.test("documentPages says until when nodes know a key", () => {
  const kind = {
    kind: "OldConfig",
    summary: "Something old",
    named: false,
    fields: { old: { shape: boolean, summary: "Old", until: "1.14" } },
    examples: [],
  } as const;
  const pages = documentPages(v1alpha1, { Old: [kind] });
  assert.match(
    pages.get("documents-old.md") ?? "",
    /^\| `old` \| boolean \| Old\. Until 1\.14 \|$/m,
  );
});
