import assert from "node:assert/strict";
import { stale } from "../../../tools/docs/docs.ts";
import { withFolder } from "../../_folder.ts";

// What pages contain is compared with those that are committed, by `deno task docs --check`.
Deno.test("stale names pages that differ, lack or are left over, and no others", async () => {
  const made = new Map([["same.md", "1"], ["new.md", "2"], ["old.md", "3"]]);
  const files = { "same.md": "1", "old.md": "before", "gone.md": "4" };
  await withFolder(files, async (folder) => {
    assert.deepEqual(await stale(new URL(`file://${folder}/`), made), [
      "gone.md",
      "new.md",
      "old.md",
    ]);
  });
});
