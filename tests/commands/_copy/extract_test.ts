import assert from "node:assert/strict";
import fc from "fast-check";
import { OsctlError, RpcError } from "../../../errors.ts";
import { archiveEntries } from "../../../lib/archive/entries.ts";
import { extractEntries } from "../../../commands/_copy/extract.ts";
import {
  type Flag,
  paxEntry,
  splitChunks,
  type TarEntry,
  tarGz,
} from "../../lib/archive/_tar.ts";
import { tree, withFolder } from "./_tree.ts";

type Entries = readonly (TarEntry | Uint8Array)[];

async function extract(
  target: string,
  archive: AsyncIterable<Uint8Array>,
): Promise<string[]> {
  const refused: string[] = [];
  await extractEntries(archiveEntries(archive), {
    target,
    os: "linux",
    refused: ({ name, reason }) => refused.push(`${name} ${reason}`),
  });
  return refused;
}

/** Extracts into `target` of a new folder that also holds a `secret`, which must stay as it is. */
async function runExtract(
  entries: Entries,
  prepare: (target: string) => Promise<unknown> = () => Promise.resolve(),
) {
  return await withFolder(async (root) => {
    const target = `${root}/target`;
    await Deno.mkdir(target);
    await Deno.mkdir(`${root}/outside`);
    await Deno.writeTextFile(`${root}/outside/secret`, "before");
    await prepare(target);
    const refused = await extract(target, splitChunks(await tarGz(entries)));
    assert.deepEqual(await tree(`${root}/outside`), { secret: "0644 before" });
    assert.deepEqual(Object.keys(await tree(root, 1)), ["outside", "target"]);
    return { refused, files: await tree(target) };
  });
}

Deno.test("extractEntries writes folders, files and links with their modes", async () => {
  const { refused, files } = await runExtract([
    { name: "./", flag: "5", mode: 0o755 },
    { name: "d/", flag: "5", mode: 0o750 },
    { name: "d/a", body: "alpha", mode: 0o600 },
    { name: "d/run", body: "#!", mode: 0o755 },
    { name: "empty", mode: 0o400 },
    { name: "l", flag: "2", link: "../outside/secret" },
    { name: "deep/er/f", body: "f" },
  ]);
  assert.deepEqual(refused, []);
  assert.deepEqual(files, {
    "d": "0750 folder",
    "d/a": "0600 alpha",
    "d/run": "0755 #!",
    "deep": "0755 folder",
    "deep/er": "0755 folder",
    "deep/er/f": "0644 f",
    "empty": "0400 ",
    "l": "-> ../outside/secret",
  });
});

Deno.test("extractEntries keeps no set-user bit", async () => {
  const { files } = await runExtract([{ name: "su", mode: 0o6755 }]);
  assert.deepEqual(files, { su: "0755 " });
});

Deno.test("extractEntries names what it refuses and writes the rest", async () => {
  const { refused, files } = await runExtract([
    { name: "../outside/secret", body: "x" },
    { name: "/tmp/osctl-absolute", body: "x" },
    { name: "a/../../outside/secret", body: "x" },
    { name: "null", flag: "3" },
    { name: "sda", flag: "4" },
    { name: "fifo", flag: "6" },
    { name: "sparse", flag: "S" },
    { name: "", body: "x" },
    { name: "nowhere", flag: "2" },
    paxEntry("n".repeat(256), { name: "n", body: "x" }),
    paxEntry("d/".repeat(3000), { name: "d", body: "x" }),
    { name: "good", body: "good" },
  ]);
  assert.deepEqual(refused, [
    "../outside/secret leaves the folder through '..'",
    "/tmp/osctl-absolute has an absolute path",
    "a/../../outside/secret leaves the folder through '..'",
    "null is a device",
    "sda is a device",
    "fifo is a named pipe",
    "sparse is of an unknown type",
    " has no name",
    "nowhere is a link without a target",
    `${"n".repeat(256)} has a name of more than 255 bytes`,
    `${"d/".repeat(3000)} has a path of more than 4095 bytes`,
  ]);
  assert.deepEqual(files, { good: "0644 good" });
});

Deno.test("extractEntries does not write through links of the archive", async () => {
  const { refused, files } = await runExtract([
    { name: "out", flag: "2", link: "../outside" },
    { name: "out/secret", body: "x" },
    { name: "out/new", body: "x" },
    { name: "out/dir/", flag: "5" },
    { name: "out/link", flag: "2", link: "x" },
    { name: "out/", flag: "5" },
    { name: "file", flag: "2", link: "../outside/secret" },
    { name: "file", body: "x" },
    { name: "here", flag: "2", link: "." },
    { name: "here/a", body: "x" },
  ]);
  assert.deepEqual(refused, [
    "out/secret passes through a link",
    "out/new passes through a link",
    "out/dir/ passes through a link",
    "out/link passes through a link",
    "out/ already exists",
    "file already exists",
    "here/a passes through a link",
  ]);
  assert.deepEqual(files, {
    file: "-> ../outside/secret",
    here: "-> .",
    out: "-> ../outside",
  });
});

Deno.test("extractEntries does not write through links that were there", async () => {
  const { refused, files } = await runExtract([
    { name: "out/secret", body: "x" },
    { name: "out/", flag: "5", mode: 0o777 },
    { name: "file", body: "x", mode: 0o777 },
    { name: "dangling", body: "x" },
  ], async (target) => {
    await Deno.symlink("../outside", `${target}/out`);
    await Deno.symlink("../outside/secret", `${target}/file`);
    await Deno.symlink("../outside/new", `${target}/dangling`);
  });
  assert.deepEqual(refused, [
    "out/secret passes through a link",
    "out/ already exists",
    "file already exists",
    "dangling already exists",
  ]);
  assert.deepEqual(files, {
    dangling: "-> ../outside/new",
    file: "-> ../outside/secret",
    out: "-> ../outside",
  });
});

Deno.test("extractEntries follows a target that is a link itself", async () => {
  await withFolder(async (root) => {
    await Deno.mkdir(`${root}/real`);
    await Deno.symlink("real", `${root}/link`);
    await extract(`${root}/link`, splitChunks(await tarGz([{ name: "a" }])));
    assert.deepEqual(await tree(`${root}/real`), { a: "0644 " });
  });
});

Deno.test("extractEntries links only to files of the same archive", async () => {
  const { refused, files } = await runExtract([
    { name: "d/a", body: "alpha" },
    { name: "good", flag: "1", link: "d/a" },
    { name: "up", flag: "1", link: "../outside/secret" },
    { name: "abs", flag: "1", link: "/etc/passwd" },
    { name: "self", flag: "1", link: "." },
    { name: "out", flag: "2", link: "../outside" },
    { name: "through", flag: "1", link: "out/secret" },
    { name: "tolink", flag: "1", link: "out" },
    { name: "old", flag: "1", link: "mine" },
    { name: "folder", flag: "1", link: "d" },
    { name: "d/a", flag: "1", link: "good" },
  ], (target) => Deno.writeTextFile(`${target}/mine`, "mine"));
  assert.deepEqual(refused, [
    "up is a hard link to something outside the folder",
    "abs is a hard link to something outside the folder",
    "self is a hard link to something outside the folder",
    "through is a hard link to a file that is not in the archive",
    "tolink is a hard link to a file that is not in the archive",
    "old is a hard link to a file that is not in the archive",
    "folder is a hard link to a file that is not in the archive",
    "d/a already exists",
  ]);
  assert.deepEqual(files, {
    "d": "0755 folder",
    "d/a": "0644 alpha",
    "good": "0644 alpha",
    "mine": "0644 mine",
    "out": "-> ../outside",
  });
});

Deno.test("extractEntries overwrites nothing", async () => {
  const { refused, files } = await runExtract([
    { name: "mine", body: "theirs", mode: 0o777 },
    { name: "mine/below", body: "x" },
    { name: "folder", body: "x" },
    { name: "folder/", flag: "5", mode: 0o700 },
    { name: "folder/new", body: "new" },
    { name: "twice", body: "first" },
    { name: "twice", body: "second" },
  ], async (target) => {
    await Deno.writeTextFile(`${target}/mine`, "mine");
    await Deno.mkdir(`${target}/folder`);
  });
  assert.deepEqual(refused, [
    "mine already exists",
    "mine/below passes through something that is not a directory",
    "folder already exists",
    "twice already exists",
  ]);
  assert.deepEqual(files, {
    "folder": "0755 folder",
    "folder/new": "0644 new",
    "mine": "0644 mine",
    "twice": "0644 first",
  });
});

Deno.test("extractEntries does not overwrite a file that appears while it is sent", async () => {
  await withFolder(async (root) => {
    const refused: string[] = [];
    async function* body() {
      yield new TextEncoder().encode("theirs");
      await Deno.writeTextFile(`${root}/a`, "mine");
    }
    const file = { name: "a", kind: "file", mode: 0o600, target: "" } as const;
    async function* entries() {
      yield await Promise.resolve({ ...file, body: body() });
    }
    await extractEntries(entries(), {
      target: root,
      os: "linux",
      refused: ({ name, reason }) => refused.push(`${name} ${reason}`),
    });
    assert.deepEqual(refused, ["a already exists"]);
    assert.deepEqual(await tree(root), { a: "0644 mine" });
  });
});

Deno.test("extractEntries makes nothing when the node refuses at once", async () => {
  // deno-lint-ignore require-yield
  async function* refusing(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    throw new RpcError("NOT_FOUND", "no such file");
  }
  await withFolder(async (root) => {
    await assert.rejects(extract(`${root}/t`, refusing()), RpcError);
    assert.deepEqual(await tree(root), {});
  });
});

Deno.test("extractEntries fails when the target cannot be made", async () => {
  await withFolder(async (root) => {
    await Deno.writeTextFile(`${root}/file`, "");
    await assert.rejects(
      extract(`${root}/file/t`, splitChunks(await tarGz([]))),
      (error) =>
        error instanceof OsctlError &&
        error.message.startsWith(`Cannot create the folder "${root}/file/t": `),
    );
  });
});

Deno.test("extractEntries writes nothing outside, whatever the archive holds", async () => {
  const names = fc.array(
    fc.constantFrom("a", "b", "..", ".", "", "out", "secret", "target"),
    { minLength: 1, maxLength: 4 },
  ).map((parts) => parts.join("/"));
  const flags = fc.constantFrom<Flag>("0", "1", "2", "3", "5", "6");
  const links = fc.oneof(
    names,
    fc.constantFrom("../outside", "../outside/secret", "/etc/passwd"),
  );
  const entries = fc.array(
    fc.record({
      name: names,
      flag: flags,
      link: links,
      mode: fc.constantFrom(0o777, 0o644, 0o500),
    }).map((entry) => entry.flag === "0" ? { ...entry, body: "x" } : entry),
    { maxLength: 12 },
  );
  await fc.assert(
    // `extracted` checks that all around the target is as it was.
    fc.asyncProperty(entries, async (some) => void await runExtract(some)),
    { numRuns: 150 },
  );
});
