import assert from "node:assert/strict";
import { backupPath, exists } from "../../../lib/files/exists.ts";

Deno.test("exists tells files and folders from nothing", async () => {
  assert.equal(await exists(import.meta.dirname ?? ""), true);
  assert.equal(await exists(import.meta.filename ?? ""), true);
  assert.equal(await exists(`${import.meta.dirname}/nothing`), false);
  assert.equal(await exists(`${import.meta.filename}/below`), false);
});

Deno.test("copies are named after file and moment, and never after each other", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const now = new Date("2026-01-02T03:04:05.678Z");
    const first = await backupPath(`${dir}/f`, now);
    assert.equal(first, `${dir}/f.20260102T030405Z.bak`);
    await Deno.writeTextFile(first, "");
    const second = await backupPath(`${dir}/f`, now);
    assert.equal(second, `${dir}/f.20260102T030405Z-2.bak`);
    await Deno.symlink("nowhere", second);
    assert.equal(
      await backupPath(`${dir}/f`, now),
      `${dir}/f.20260102T030405Z-3.bak`,
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
