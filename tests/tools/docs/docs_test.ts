import assert from "node:assert/strict";
import { lines, toggle } from "../../../commands/_kit/mod.ts";
import { pages, stale } from "../../../tools/docs/docs.ts";
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

// No command has one now.
Deno.test("pages names what takes the place of a deprecated flag", async () => {
  const command = {
    summary: "Show free space",
    inputs: { human: toggle("with units", { deprecated: "use --unit" }) },
    view: lines(() => ""),
    async *run() {},
  };
  const load = () => Promise.resolve({ command });
  const { summary } = command;
  const found = await pages([{ name: "free", summary, load }]);
  assert.match(
    found.get("free.md") ?? "",
    /^\| `--human` \| bool \| {2}\| with units \(deprecated: use --unit\) \|$/m,
  );
});
