import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { takenAmong, writeFilesAtomic } from "../../../lib/files/file_set.ts";
import { assertConfigRejection } from "../../pki/_errors.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, body));
}

/** Names in a folder, sorted, with content and mode. */
async function filesIn(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = await Array.fromAsync(Deno.readDir(dir));
  for (
    const { name, isFile } of entries.sort((a, b) => a.name < b.name ? -1 : 1)
  ) {
    const path = `${dir}/${name}`;
    const mode = (((await Deno.stat(path)).mode ?? 0) & 0o777).toString(8);
    found[name] = isFile ? `${await Deno.readTextFile(path)} ${mode}` : mode;
  }
  return found;
}

test("files of a set are written with mode 600 in directories of mode 700", async (dir) => {
  await writeFilesAtomic([
    { path: `${dir}/in/a`, content: "A" },
    { path: `${dir}/in/b`, content: Uint8Array.of(66) },
  ]);
  assert.deepEqual(await filesIn(`${dir}/in`), { a: "A 600", b: "B 600" });
  assert.deepEqual(await filesIn(dir), { in: "700" });
});

test("a set of which one file exists is not written at all", async (dir) => {
  await Deno.writeTextFile(`${dir}/b`, "mine", { mode: 0o644 });
  await assertConfigRejection(
    writeFilesAtomic([
      { path: `${dir}/a`, content: "A" },
      { path: `${dir}/b`, content: "B" },
    ]),
    `Cannot write "${dir}/b": it already exists`,
  );
  assert.deepEqual(await filesIn(dir), { b: "mine 644" });
});

test("a set that may overwrite replaces files, behind links too", async (dir) => {
  await Deno.writeTextFile(`${dir}/a`, "old", { mode: 0o644 });
  await Deno.symlink("a", `${dir}/link`);
  await writeFilesAtomic([
    { path: `${dir}/link`, content: "A" },
    { path: `${dir}/b`, content: "B" },
  ], { overwrite: true });
  assert.equal(await Deno.readLink(`${dir}/link`), "a");
  await Deno.remove(`${dir}/link`);
  assert.deepEqual(await filesIn(dir), { a: "A 600", b: "B 600" });
});

test("a set with a path that is a folder changes nothing", async (dir) => {
  await Deno.writeTextFile(`${dir}/a`, "old", { mode: 0o640 });
  await Deno.mkdir(`${dir}/b`, { mode: 0o755 });
  await assertConfigRejection(
    writeFilesAtomic([
      { path: `${dir}/a`, content: "A" },
      { path: `${dir}/b`, content: "B" },
    ], { overwrite: true }),
    `Cannot write "${dir}/b": it is not a regular file`,
  );
  assert.deepEqual(await filesIn(dir), { a: "old 640", b: "755" });
});

// The second name of a path given twice is taken only once the first is in its place.
test("a set whose last file cannot be placed is taken back, new files", async (dir) => {
  await assertConfigRejection(
    writeFilesAtomic([
      { path: `${dir}/a`, content: "A" },
      { path: `${dir}/b`, content: "B" },
      { path: `${dir}/a`, content: "again" },
    ]),
    `Cannot write "${dir}/a": it already exists`,
  );
  assert.deepEqual(await filesIn(dir), {});
});

test("a set whose last file cannot be placed is taken back, old files", async (dir) => {
  await Deno.writeTextFile(`${dir}/a`, "old", { mode: 0o640 });
  // The folder of the third file takes the place that the second one wants.
  await assert.rejects(
    writeFilesAtomic([
      { path: `${dir}/a`, content: "A" },
      { path: `${dir}/b`, content: "B" },
      { path: `${dir}/b/c`, content: "C" },
    ], { overwrite: true }),
    /^ConfigError: Cannot write ".*\/b": it is a directory/,
  );
  assert.deepEqual(await filesIn(dir), { a: "old 640", b: "700" });
});

test("takenAmong names what is there in any form, in the order asked", async (dir) => {
  await Deno.mkdir(`${dir}/folder`);
  await Deno.writeTextFile(`${dir}/file`, "");
  await Deno.symlink("nowhere", `${dir}/link`);
  assert.deepEqual(
    await takenAmong(
      ["link", "none", "file", "no/folder", "folder"].map((name) =>
        `${dir}/${name}`
      ),
    ),
    [`${dir}/link`, `${dir}/file`, `${dir}/folder`],
  );
});
