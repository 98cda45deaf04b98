import fc from "fast-check";
import assert from "node:assert/strict";
import { OsctlError, RpcError } from "../../../errors.ts";
import { archiveEntries, blocks } from "../../../lib/archive/entries.ts";
import {
  endMark,
  gzip,
  join,
  noise,
  paxEntry,
  splitChunks,
  tar,
  tarEntry,
  tarGz,
} from "./_tar.ts";

async function read(archive: AsyncIterable<Uint8Array>) {
  const seen: string[] = [];
  for await (const { name, kind, body } of archiveEntries(archive)) {
    const bytes = join(await Array.fromAsync(body));
    seen.push(`${kind} ${name} ${new TextDecoder().decode(bytes)}`);
  }
  return seen;
}

const damage = (error: unknown) =>
  error instanceof OsctlError &&
  error.message === "The archive is truncated or damaged";

Deno.test("archiveEntries gives entries with their content", async () => {
  const archive = await tarGz([
    { name: "d/", flag: "5" },
    { name: "d/a", body: "alpha" },
    { name: "empty" },
    { name: "l", flag: "2", link: "d/a" },
    { name: "h", flag: "1", link: "d/a" },
    { name: "c", flag: "3" },
    { name: "b", flag: "4" },
    { name: "p", flag: "6" },
    { name: "s", flag: "S" },
    { name: "old/" },
    { name: "last", flag: "7", body: "omega" },
  ]);
  assert.deepEqual(await read(splitChunks(archive)), [
    "folder d/ ",
    "file d/a alpha",
    "file empty ",
    "symlink l ",
    "hardlink h ",
    "device c ",
    "device b ",
    "pipe p ",
    "unknown s ",
    "folder old/ ",
    "file last omega",
  ]);
});

Deno.test("archiveEntries gives modes, link targets and long names", async () => {
  const long = "n".repeat(300);
  const archive = await tarGz([
    { name: "x", mode: 0o4750 },
    { name: "l", flag: "2", link: "../up" },
    paxEntry(long, { name: "short", body: "b" }),
  ]);
  const seen = await Array.fromAsync(archiveEntries(splitChunks(archive)));
  assert.deepEqual(seen.map(({ mode }) => mode), [0o4750, 0o644, 0o644]);
  assert.equal(seen[1]?.target, "../up");
  assert.equal(seen[2]?.name, long);
});

Deno.test("archiveEntries continues when content is not read", async () => {
  const archive = await tarGz([
    { name: "big", body: "x".repeat(300_000) },
    { name: "after", body: "y" },
  ]);
  const names: string[] = [];
  for await (const { name } of archiveEntries(splitChunks(archive))) {
    names.push(name);
  }
  assert.deepEqual(names, ["big", "after"]);
});

Deno.test("archiveEntries gives no content to who reads it too late", async () => {
  const archive = await tarGz([{ name: "a", body: "alpha" }]);
  const [first] = await Array.fromAsync(archiveEntries(splitChunks(archive)));
  await assert.rejects(Array.fromAsync(first!.body), damage); // there is one
});

Deno.test("archiveEntries fails wherever an archive is truncated", async () => {
  const whole = await tarGz([
    { name: "a", body: "alpha" },
    { name: "b", body: noise(2000) },
  ]);
  for (let size = 0; size < whole.length; size += 7) {
    const cut = whole.slice(0, size);
    await assert.rejects(read(splitChunks(cut)), damage, `cut at ${size}`);
  }
  await assert.rejects(read(splitChunks(whole.slice(0, -1))), damage);
});

Deno.test("archiveEntries ends no content early wherever an archive is truncated", async () => {
  const files = [
    { name: "a", body: noise(70_000) },
    { name: "b", body: noise(70_000) },
  ];
  const packed = await tarGz(files);
  const plain = tar(files);
  for (let part = 1; part < 40; part++) {
    const cut = [
      packed.subarray(0, Math.floor(packed.length * part / 40)),
      await gzip(plain.subarray(0, Math.floor(plain.length * part / 40))),
    ];
    for (const archive of cut) {
      const ended: number[] = [];
      await assert.rejects(async () => {
        for await (const { body } of archiveEntries(splitChunks(archive))) {
          ended.push(join(await Array.fromAsync(body)).length);
        }
      }, damage);
      assert.ok(ended.every((size) => size === 70_000), `${part}/40: ${ended}`);
    }
  }
});

Deno.test("archiveEntries fails when a byte was changed", async () => {
  const whole = await tarGz([{ name: "a", body: noise(4000) }]);
  // The eight bytes at the end are checksum and size.
  for (const at of [0, 1, 2, 100, 2000, whole.length - 8, whole.length - 1]) {
    const changed = whole.slice();
    changed[at] = (changed[at] ?? 0) ^ 0x55;
    await assert.rejects(read(splitChunks(changed)), damage, `byte ${at}`);
  }
});

Deno.test("archiveEntries fails when compressed text is not an archive", async () => {
  const text = await gzip(new TextEncoder().encode("hello ".repeat(1000)));
  await assert.rejects(read(splitChunks(text)), damage);
});

Deno.test("archiveEntries fails when whole entries are missing at the end", async () => {
  const cut = await gzip(tarEntry({ name: "a", body: "alpha" }));
  await assert.rejects(read(splitChunks(cut)), damage);
});

Deno.test("archiveEntries fails when half of the end mark is missing", async () => {
  const entry = tarEntry({ name: "a", body: "x".repeat(512) });
  const cut = await gzip(join([entry, endMark.subarray(512)]));
  await assert.rejects(read(splitChunks(cut)), damage);
});

Deno.test("archiveEntries does not take zeros at the end of a file for an end mark", async () => {
  const entry = tarEntry({ name: "disk", body: new Uint8Array(2048) });
  for (const missing of [1024, 512]) {
    const cut = await gzip(join([entry, endMark.subarray(missing)]));
    await assert.rejects(read(splitChunks(cut)), damage, `${missing} missing`);
  }
  const whole = await gzip(join([entry, endMark]));
  assert.deepEqual(await read(splitChunks(whole)), [
    `file disk ${"\0".repeat(2048)}`,
  ]);
  // A folder may tell of a size, and has no content anyway.
  const folder = tarEntry({ name: "d/", flag: "5", size: 4096 });
  const folders = await gzip(join([folder, endMark]));
  const names = await Array.fromAsync(archiveEntries(splitChunks(folders)));
  assert.deepEqual(names.map(({ name }) => name), ["d/"]);
});

Deno.test("archiveEntries fails when content is shorter than its header says", async () => {
  const cut = await gzip(
    tarEntry({ name: "a", body: "x".repeat(100), size: 5000 }),
  );
  await assert.rejects(read(splitChunks(cut)), damage);
});

Deno.test("archiveEntries fails for bytes after the end of the compressed data", async () => {
  const whole = await tarGz([{ name: "a", body: "alpha" }]);
  const more = join([whole, new TextEncoder().encode("more")]);
  await assert.rejects(read(splitChunks(more)), damage);
});

Deno.test("archiveEntries fails for a header that is longer than memory should hold", async () => {
  const header = tarEntry({ name: "pax", flag: "x", size: 8_000_000_000 });
  const archive = await gzip(join([header, new Uint8Array(100_000)]));
  await assert.rejects(read(splitChunks(archive)), damage);
});

Deno.test("archiveEntries raises what the source raised", async () => {
  const whole = await tarGz([{ name: "a", body: noise(100_000) }]);
  const gone = new RpcError("UNAVAILABLE", "gone");
  async function* broken() {
    yield* splitChunks(whole.slice(0, 80_000));
    throw gone;
  }
  await assert.rejects(read(broken()), (error) => error === gone);
});

Deno.test("archiveEntries closes its source when the reader leaves", async () => {
  const whole = await tarGz([{ name: "a" }, { name: "b", body: noise(1e6) }]);
  let sent = 0;
  let close = () => {};
  const closed = new Promise<void>((resolve) => close = resolve);
  async function* source() {
    try {
      for await (const chunk of splitChunks(whole)) {
        sent += chunk.length;
        yield chunk;
      }
    } finally {
      close();
    }
  }
  for await (const _ of archiveEntries(source())) break;
  await closed;
  assert.ok(sent < 900_000, `${sent} bytes were read`);
});

Deno.test("archiveEntries accepts padding after the end mark", async () => {
  const archive = await gzip(join([tar([{ name: "a" }]), endMark, endMark]));
  assert.deepEqual(await read(splitChunks(archive)), ["file a "]);
});

Deno.test("archiveEntries accepts an end mark that comes in two chunks", async () => {
  const body = "x".repeat(256 * 1024 - 1024);
  const whole = tar([{ name: "a", body }]);
  // One chunk is 262,144 bytes: the second one is half of the end mark, and nothing else.
  assert.equal(whole.length, 262_656);
  assert.deepEqual(await read(splitChunks(await gzip(whole))), [
    `file a ${body}`,
  ]);
});

async function* of(chunks: readonly Uint8Array[]) {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

Deno.test("blocks joins and cuts chunks", async () => {
  const chunks = [[1], [2, 3], [4, 5, 6, 7, 8, 9, 10], [11]].map((bytes) =>
    new Uint8Array(bytes)
  );
  const made = await Array.fromAsync(blocks(of(chunks), 4));
  assert.deepEqual(made.map((block) => [...block]), [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10, 11],
  ]);
});

Deno.test("blocks passes chunks that fit on without a copy", async () => {
  const chunk = new Uint8Array(4);
  const made = await Array.fromAsync(blocks(of([chunk]), 4));
  assert.equal(made[0]?.buffer, chunk.buffer);
});

Deno.test("blocks loses and adds nothing", async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }));
  const sizes = fc.integer({ min: 1, max: 16 });
  await fc.assert(fc.asyncProperty(chunks, sizes, async (chunks, size) => {
    const made = await Array.fromAsync(blocks(of(chunks), size));
    assert.deepEqual(join(made), join(chunks));
    assert.ok(made.slice(0, -1).every((block) => block.length === size));
  }));
});
