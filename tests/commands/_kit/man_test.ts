import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { manPages } from "../../../commands/_kit/man.ts";

Deno.test("manPages has no text that roff takes for a request", async () => {
  const requests = new Set(
    ["TH", "SH", "SS", "TP", "B", "BR", "PP", "nf", "fi", "nh", "ad"],
  );
  const pages = await manPages(entries);
  assert.ok(pages.has("osctl-runbook.1"));
  for (const [name, page] of pages) {
    for (const line of page.split("\n")) {
      const [, request] = /^[.'](\w*)/.exec(line) ?? [];
      assert.ok(
        request === undefined || requests.has(request),
        `${name}: ${line}`,
      );
      // A backslash only begins what the writer means.
      assert.doesNotMatch(line, /\\(?![e&-])/, name);
    }
  }
});
