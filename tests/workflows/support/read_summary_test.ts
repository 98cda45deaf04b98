import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { ConfigError } from "../../../errors.ts";
import { textContent } from "../../../workflows/support/support_item.ts";
import { readSummary } from "../../../workflows/support/read_summary.ts";
import { openArchive } from "../../../workflows/support/zip_archive.ts";
import { withFolder } from "../../_folder.ts";

const row = {
  topic: "kernel",
  source: "w1",
  state: "problem",
  problem: "I/O error, dev vda",
} as const;

const when = new Date("2026-03-04T12:00:00Z");

Deno.test("the summary is found among other files of an archive, and in one that another program has written", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/case.zip`;
    const rows = JSON.stringify([row]);
    {
      await using archive = await openArchive(path, when);
      await archive.add("w1/dmesg.log", textContent("PK\x05\x06".repeat(99)));
      await archive.add("summary.json", textContent(rows));
      await archive.add("manifest.json", textContent("{}"), true);
      await archive.end();
    }
    assert.deepEqual(await readSummary(path), [row]);
    const files = { "a/summary.json": strToU8("[]"), x: strToU8("x") };
    await Deno.writeFile(
      path,
      zipSync({ ...files, "summary.json": strToU8(rows) }, { comment: "hi" }),
    );
    assert.deepEqual(await readSummary(path), [row]);
  });
});

Deno.test("an archive without a readable summary is refused with what is wrong", async () => {
  const good = zipSync({ "summary.json": strToU8(JSON.stringify([row])) });
  const damaged = good.slice();
  damaged.fill(0xff, 50, 60);
  const cases = [
    [good.slice(0, -5), "is not a complete ZIP archive"],
    [new Uint8Array(3), "is not a complete ZIP archive"],
    [zipSync({ x: strToU8("x") }), "has no summary.json"],
    [damaged, "summary.json in .* is damaged"],
    [zipSync({ "summary.json": strToU8('[{"topic":"x"}]') }), "is damaged"],
  ] as const;
  await withFolder({}, async (folder) => {
    const path = `${folder}/case.zip`;
    for (const [bytes, message] of cases) {
      await Deno.writeFile(path, bytes);
      await assert.rejects(
        readSummary(path),
        (error) =>
          error instanceof ConfigError &&
          new RegExp(message).test(error.message),
        message,
      );
    }
    await assert.rejects(readSummary(`${folder}/none.zip`), {
      message: `Cannot read "${folder}/none.zip": no such file or directory`,
    });
  });
});
