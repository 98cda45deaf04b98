import assert from "node:assert/strict";
import {
  BlockFile,
  openRegular,
  unreadable,
} from "../../../../workflows/etcd/snapshot/block_file.ts";
import { withFolder } from "../../../_folder.ts";
import { withBlocks, withFile } from "./_bolt.ts";

/** Size of a block. */
const block = 65_536;

/** More blocks than are kept; each byte tells its place. */
const large = new Uint8Array(70 * block + 10).map((_, at) =>
  (at >>> 16) ^ at & 0xff
);

Deno.test("BlockFile reads numbers, also across blocks", async () => {
  const content = new Uint8Array(2 * block);
  content.set([1, 2, 3, 4, 5, 0, 0, 0], 8);
  content.set([1, 2, 3, 4, 5, 0, 0, 0], block - 3);
  await withBlocks(content, (file) => {
    for (const at of [8, block - 3]) {
      assert.equal(file.uint8(at + 1), 2);
      assert.equal(file.uint16(at + 1), 0x0302);
      assert.equal(file.uint32(at), 0x04030201);
      assert.equal(file.uint64(at), 0x0504030201);
    }
  });
});

Deno.test("BlockFile copies bytes, also across blocks", async () => {
  await withBlocks(large, (file) => {
    assert.deepEqual(file.bytes(5, 0), new Uint8Array(0));
    assert.deepEqual(file.bytes(5, 3), large.slice(5, 8));
    assert.deepEqual(
      file.bytes(block - 3, 4),
      large.slice(block - 3, block + 1),
    );
    assert.deepEqual(
      file.bytes(block - 2, 2 * block),
      large.slice(block - 2, 3 * block - 2),
    );
  });
});

Deno.test("BlockFile shows bytes piece by piece", async () => {
  await withBlocks(large, (file) => {
    const sizes: number[] = [];
    file.each(block - 2, block + 3, (_, from, to) => sizes.push(to - from));
    assert.deepEqual(sizes, [2, block, 1]);
    file.each(7, 0, () => assert.fail("nothing to show"));
  });
});

Deno.test("BlockFile keeps no more than 4 MiB", async () => {
  await withFile(large, async (path) => {
    using file = await Deno.open(path);
    const source = { path: "db", subject: 'Snapshot "db"', hint: "Again" };
    const blocks = new BlockFile(file, large.length, source);
    assert.equal(blocks.uint8(5), 5);
    await Deno.writeFile(path, large.with(5, 77));
    for (let at = block; at < 64 * block; at += block) blocks.uint8(at);
    assert.equal(blocks.uint8(5), 5);
    blocks.uint8(64 * block);
    assert.equal(blocks.uint8(5), 77);
  });
});

Deno.test("BlockFile reads again what it gave up", async () => {
  await withBlocks(large, (file) => {
    for (const at of [3, 1, 2].flatMap((by) => stepsOf(by * block))) {
      assert.equal(file.uint8(at), large[at], `byte ${at}`);
    }
  });
});

function stepsOf(by: number): number[] {
  const count = Math.ceil(large.length / by);
  return Array.from({ length: count }, (_, i) => i * by);
}

Deno.test("BlockFile refuses what is not there", async () => {
  await withBlocks(new Uint8Array(100), (file) => {
    for (const at of [100, -1, 2 ** 60, NaN]) {
      assert.throws(() => file.uint8(at), {
        message: `Snapshot "db" is damaged: byte ${at} of 100 is needed`,
      });
    }
    assert.throws(() => file.bytes(98, 4), { name: "OsctlError" });
    assert.throws(() => file.uint32(98), { name: "OsctlError" });
  });
});

Deno.test("BlockFile notices that the file became shorter", async () => {
  await withFile(new Uint8Array(3 * block), async (path) => {
    using file = await Deno.open(path);
    const source = { path: "db", subject: 'Snapshot "db"', hint: "Again" };
    const blocks = new BlockFile(file, 3 * block, source);
    assert.equal(blocks.uint8(0), 0);
    await Deno.truncate(path, block + 10);
    assert.throws(() => blocks.uint8(block), {
      message: 'Snapshot "db" is damaged: it ends at byte 65546 of 196608',
      hint: "Again",
    });
  });
});

Deno.test("BlockFile tells what the system says", async () => {
  await withFolder({}, async (folder) => {
    using file = await Deno.open(folder);
    const source = { path: "db", subject: 'Snapshot "db"', hint: "Again" };
    assert.throws(() => new BlockFile(file, 10, source).uint8(0), {
      name: "OsctlError",
      message: 'Cannot read "db": Is a directory (os error 21)',
    });
  });
});

Deno.test("openRegular tells the size", async () => {
  await withFile(new Uint8Array(123), async (path) => {
    const { file, size } = await openRegular(path);
    file.close();
    assert.equal(size, 123);
  });
});

Deno.test("openRegular refuses what is no file", async () => {
  await withFolder({}, async (folder) => {
    await assert.rejects(openRegular(folder), {
      name: "ConfigError",
      message: `Cannot read "${folder}": it is no regular file`,
    });
    await assert.rejects(openRegular(`${folder}/none`), {
      name: "ConfigError",
      message:
        `Cannot read "${folder}/none": No such file or directory (os error 2): open '${folder}/none'`,
    });
  });
});

Deno.test("unreadable leaves other errors alone", () => {
  const bug = new TypeError("bug");
  assert.equal(unreadable("db", bug), bug);
});
