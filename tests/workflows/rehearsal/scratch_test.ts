import assert from "node:assert/strict";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import {
  inScratch,
  withScratch,
} from "../../../workflows/rehearsal/scratch.ts";
import { withFolder } from "../../_folder.ts";

const inputs = {
  from: { type: "path" },
  to: { type: "path" },
  none: { type: "path" },
  word: { type: "string" },
  // No more of them is looked at.
} as unknown as Runbook["inputs"];

Deno.test("paths lead into the folder, with copies of the files that are there", async () => {
  await withFolder({ "a.db": "data" }, async (folder) => {
    await using scratch = await withScratch();
    const values = await inScratch({ inputs }, {
      from: `${folder}/a.db`,
      to: `${folder}/new.yaml`,
      word: `${folder}/a.db`,
    }, scratch.folder);
    assert.deepEqual(values, {
      from: `${scratch.folder}/inputs/from/a.db`,
      to: `${scratch.folder}/inputs/to/new.yaml`,
      word: `${folder}/a.db`,
    });
    const { from, to } = values as Record<string, string>;
    assert.equal(await Deno.readTextFile(from!), "data");
    await Deno.writeTextFile(to!, "written");
    await assert.rejects(Deno.stat(`${folder}/new.yaml`), Deno.errors.NotFound);
  });
});

Deno.test("the folder is gone afterwards, and what cannot be copied is told", async () => {
  const scratch = await withScratch();
  await assert.rejects(
    inScratch({ inputs }, { from: scratch.folder }, scratch.folder),
  );
  await scratch[Symbol.asyncDispose]();
  await assert.rejects(Deno.stat(scratch.folder), Deno.errors.NotFound);
});
