import assert from "node:assert/strict";
import { dropUnfinished, partNamed } from "../../tools/coverage.ts";
import { folders } from "../../tools/sources.ts";
import { withFolder } from "../_folder.ts";

Deno.test("dropUnfinished removes what a killed process left half-written", async () => {
  const files = {
    "whole.json": '{"url":"file:///a.ts"}',
    "empty.json": "",
    "cut.json": '{"url":',
    "other.txt": "",
  };
  await withFolder(files, async (folder) => {
    const dropped = await dropUnfinished(new URL(`file://${folder}/`));
    assert.deepEqual(dropped.sort(), ["cut.json", "empty.json"]);
    const left: string[] = [];
    for await (const { name } of Deno.readDir(folder)) left.push(name);
    assert.deepEqual(left.sort(), ["other.txt", "whole.json"]);
  });
});

Deno.test("partNamed gives another part each day, and the same one again", () => {
  const days = ["2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24"];
  const parts = [...days, "2026-11-25", "2026-11-26"]
    .map((day) => partNamed("today", new Date(`${day}T12:00:00Z`)));
  assert.equal(new Set(parts).size, 5);
  assert.equal(parts[0], parts[5]);
});

Deno.test("partNamed gives the part of a folder, and all", () => {
  const now = new Date(0);
  assert.deepEqual(partNamed("pki", now), {
    sources: ["config", "pki"],
    tests: ["config", "pki"],
  });
  const all = partNamed("all", now);
  assert.deepEqual(all.sources.toSorted(), folders.toSorted());
  assert.throws(() => partNamed("docs", now), {
    message:
      'Cannot measure the coverage of "docs": give all, today, or one of config, pki, transport, simulator, provisioners, workflows, terminal, commands, tools',
  });
});
