import assert from "node:assert/strict";
import { dropUnfinished, isOfPart, partNamed } from "../../tools/coverage.ts";
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
  const parts = ["21", "22", "23", "24", "25", "26", "27"]
    .map((day) => partNamed("today", new Date(`2026-11-${day}T12:00:00Z`)));
  assert.equal(new Set(parts).size, 6);
  assert.equal(parts[0], parts[6]);
});

Deno.test("partNamed gives the part of a folder, and all", () => {
  const now = new Date(0);
  assert.deepEqual(partNamed("pki", now), {
    sources: ["config", "pki", "lib"],
    tests: ["config", "pki", "lib"],
  });
  const all = partNamed("all", now);
  assert.deepEqual(
    all.sources.toSorted(),
    [...folders, "workflows/runbooks"].toSorted(),
  );
  assert.throws(() => partNamed("docs", now), {
    message:
      'Cannot measure the coverage of "docs": give all, today, or one of config, pki, lib, transport, simulator, provisioners, tools, workflows/runbooks, workflows, terminal, commands',
  });
});

Deno.test("isOfPart has each test in one part, or in none", () => {
  const now = new Date(0);
  const isIn = (file: string, part: string) =>
    isOfPart(`tests/${file}_test.ts`, partNamed(part, now));
  assert.equal(
    isIn("workflows/runbooks/run/begin", "workflows/runbooks"),
    true,
  );
  assert.equal(isIn("workflows/runbooks/run/begin", "workflows"), false);
  assert.equal(isIn("workflows/ca/report", "workflows"), true);
  assert.equal(isIn("terminal/keys", "workflows"), true);
  assert.equal(isIn("e2e/start", "all"), false);
});
