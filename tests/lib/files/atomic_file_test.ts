import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  continueFile,
  copyWhole,
  createFile,
  removeLeftovers,
  resolveLinks,
  splitPath,
  temporaryBeside,
  unwritable,
  writeFileAtomic,
  writeWhole,
} from "../../../lib/files/atomic_file.ts";
import { needs, root } from "../../_needs.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, body));
}

async function readMode(path: string): Promise<string> {
  const { mode } = await Deno.lstat(path);
  return ((mode ?? 0) & 0o777).toString(8);
}

async function namesIn(dir: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

test("a file is written with mode 600 in directories of mode 700", async (dir) => {
  await writeFileAtomic(`${dir}/a/b/c`, "text");
  assert.equal(await Deno.readTextFile(`${dir}/a/b/c`), "text");
  assert.equal(await readMode(`${dir}/a/b/c`), "600");
  assert.equal(await readMode(`${dir}/a/b`), "700");
  assert.equal(await readMode(`${dir}/a`), "700");
  assert.deepEqual(await namesIn(`${dir}/a/b`), ["c"]);
});

test("bytes are written as they are, also many of them", async (dir) => {
  const bytes = new Uint8Array(3_000_000).map((_, i) => i % 251);
  await writeFileAtomic(`${dir}/c`, bytes);
  assert.deepEqual(await Deno.readFile(`${dir}/c`), bytes);
});

test("a file open to others is closed to them", async (dir) => {
  await Deno.writeTextFile(`${dir}/c`, "old", { mode: 0o644 });
  await writeFileAtomic(`${dir}/c`, "new");
  assert.equal(await readMode(`${dir}/c`), "600");
});

test("who has the old file open continues seeing it whole", async (dir) => {
  await Deno.writeTextFile(`${dir}/c`, "old");
  using file = await Deno.open(`${dir}/c`);
  await writeFileAtomic(`${dir}/c`, "brand new");
  assert.equal(await new Response(file.readable).text(), "old");
});

test("a link stays a link, and what it points to changes", async (dir) => {
  await Deno.mkdir(`${dir}/real`);
  await Deno.writeTextFile(`${dir}/real/c`, "old");
  await Deno.symlink("real/c", `${dir}/link`);
  await Deno.symlink("link", `${dir}/link2`);
  await writeFileAtomic(`${dir}/link2`, "new");
  assert.equal(await Deno.readTextFile(`${dir}/real/c`), "new");
  assert.equal((await Deno.lstat(`${dir}/link2`)).isSymlink, true);
  assert.equal((await Deno.lstat(`${dir}/link`)).isSymlink, true);
});

test("a link to nothing yet leads to the new file", async (dir) => {
  await Deno.symlink("later/c", `${dir}/link`);
  await Deno.symlink(`${dir}/link`, `${dir}/link2`);
  await writeFileAtomic(`${dir}/link2`, "new");
  assert.equal(await Deno.readTextFile(`${dir}/later/c`), "new");
});

test("links in a circle are an error", async (dir) => {
  await Deno.symlink("b", `${dir}/a`);
  await Deno.symlink("a", `${dir}/b`);
  await assert.rejects(writeFileAtomic(`${dir}/a`, "x"), ConfigError);
});

test("without overwriting, a file or a link that is there stays", async (dir) => {
  const once = { overwrite: false };
  await writeFileAtomic(`${dir}/c`, "first", once);
  await Deno.symlink("nowhere", `${dir}/link`);
  for (const name of ["c", "link"]) {
    await assert.rejects(
      writeFileAtomic(`${dir}/${name}`, "second", once),
      (error) => {
        assert.equal(error instanceof ConfigError, true);
        assert.equal(
          (error as ConfigError).message,
          `Cannot write "${dir}/${name}": it already exists`,
        );
        return true;
      },
    );
  }
  assert.equal(await Deno.readTextFile(`${dir}/c`), "first");
  assert.deepEqual(await namesIn(dir), ["c", "link"]);
});

test("without overwriting, one of many writers wins", async (dir) => {
  const writers = Array.from(
    { length: 20 },
    (_, i) => writeFileAtomic(`${dir}/c`, `${i}`, { overwrite: false }),
  );
  const results = await Promise.allSettled(writers);
  const won = results.filter(({ status }) => status === "fulfilled");
  assert.equal(won.length, 1);
  assert.deepEqual(await namesIn(dir), ["c"]);
});

test("what is not a regular file is not replaced", async (dir) => {
  await Deno.mkdir(`${dir}/d`);
  await assert.rejects(
    writeFileAtomic(`${dir}/d`, "x"),
    /it is not a regular file$/,
  );
  await assert.rejects(
    writeFileAtomic("/dev/null", "x"),
    /it is not a regular file$/,
  );
  assert.equal((await Deno.stat("/dev/null")).isCharDevice, true);
});

test("a place that cannot be written to is an error that names it", async (dir) => {
  await Deno.writeTextFile(`${dir}/file`, "");
  await assert.rejects(
    writeFileAtomic(`${dir}/file/c`, "x"),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`Cannot write "${dir}/file/c": `),
  );
});

Deno.test({
  name: "a superuser's write leaves the file to its owner",
  ...needs(root),
  fn: async () => {
    const dir = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${dir}/c`, "old");
      await Deno.chown(`${dir}/c`, 1234, 5678);
      await writeFileAtomic(`${dir}/c`, "new");
      const { uid, gid } = await Deno.stat(`${dir}/c`);
      assert.deepEqual({ uid, gid }, { uid: 1234, gid: 5678 });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});

test("leftovers of one file go, those of others stay", async (dir) => {
  for (const name of [".c.1a2b.tmp", ".cc.1a2b.tmp", "c", ".c.bak"]) {
    await Deno.writeTextFile(`${dir}/${name}`, "");
  }
  await removeLeftovers(`${dir}/c`);
  assert.deepEqual(await namesIn(dir), [".c.bak", ".cc.1a2b.tmp", "c"]);
});

test("a path without links is its own target, also before it exists", async (dir) => {
  assert.equal(await resolveLinks(`${dir}/none/c`), `${dir}/none/c`);
});

test("a file that another process puts there meanwhile is not a link", async (dir) => {
  for (let round = 0; round < 100; round++) {
    const path = `${dir}/${round}`;
    const [target] = await Promise.all([
      resolveLinks(path),
      Deno.writeTextFile(path, ""),
    ]);
    assert.equal(target, path);
  }
});

Deno.test("a path is split into directory and name", () => {
  assert.deepEqual(splitPath("/a/b"), ["/a", "b"]);
  assert.deepEqual(splitPath("/b"), ["/", "b"]);
  assert.deepEqual(splitPath("b"), [".", "b"]);
});

test("a new file is written through no link, and to no file of another", async (dir) => {
  await Deno.writeTextFile(`${dir}/victim`, "kept");
  await Deno.symlink(`${dir}/victim`, `${dir}/link`);
  await Deno.symlink(`${dir}/nothing`, `${dir}/dangling`);
  for (const name of ["victim", "link", "dangling"]) {
    await assert.rejects(
      createFile(`${dir}/${name}`),
      Deno.errors.AlreadyExists,
    );
  }
  assert.equal(await Deno.readTextFile(`${dir}/victim`), "kept");
  (await createFile(`${dir}/new`)).close();
  assert.equal(await readMode(`${dir}/new`), "600");
});

test("what an earlier run left is continued, and what only looks like it is not", async (dir) => {
  await Deno.writeTextFile(`${dir}/part`, "one ");
  {
    using file = await continueFile(`${dir}/part`);
    await file.write(new TextEncoder().encode("two"));
  }
  assert.equal(await Deno.readTextFile(`${dir}/part`), "one two");
  await Deno.symlink(`${dir}/part`, `${dir}/link`);
  await assert.rejects(continueFile(`${dir}/link`), {
    message:
      `Cannot continue "${dir}/link": it is a link, or belongs to another user`,
  });
  await Deno.link(`${dir}/part`, `${dir}/hard`);
  await assert.rejects(continueFile(`${dir}/hard`), ConfigError);
});

test("a file gets its name when it is complete, and nothing is left when it is not", async (dir) => {
  const late = new Error("late");
  await Deno.writeTextFile(`${dir}/a`, "old");
  await assert.rejects(
    writeWhole(`${dir}/a`, async () => await Promise.reject(late)),
    late,
  );
  assert.equal(await Deno.readTextFile(`${dir}/a`), "old");
  await copyWhole(`${dir}/a`, `${dir}/b`, 0o644);
  assert.equal(await Deno.readTextFile(`${dir}/b`), "old");
  assert.deepEqual(await namesIn(dir), ["a", "b"]);
  assert.notEqual(temporaryBeside("a"), temporaryBeside("a"));
});

Deno.test("a limit for files that the runtime gives no code for is no bug", () => {
  const error = unwritable("a/b", new Error("File too large (os error 27)"));
  assert.ok(error instanceof ConfigError);
  assert.equal(error.message, 'Cannot write "a/b": File too large');
  const bug = new Error("a is undefined");
  assert.equal(unwritable("a/b", bug), bug);
});

Deno.test("a home that cannot be written to is named by its variables, and its client configuration by its flag", () => {
  const hint = (path: string) => {
    const error = unwritable(path, new Error("EROFS (os error 30)"));
    assert.ok(error instanceof ConfigError);
    return error.hint;
  };
  assert.equal(
    hint("/ro/.os/runs/a"),
    "Set HOME, or OS_HOME instead of ~/.os, to a directory that you can write to",
  );
  for (const path of ["/ro/.os/config", "/ro/.os/config.lock"]) {
    assert.equal(
      hint(path),
      "Name another client configuration with --osconfig FILE, or with OSCONFIG",
    );
  }
});
