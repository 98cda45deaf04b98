import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import { damagedError } from "../../../../lib/bolt/bolt_source.ts";
import {
  openRegular,
  readPieces,
} from "../../../../workflows/etcd/snapshot/open_file.ts";
import { withFolder } from "../../../_folder.ts";
import { openDb, withFile, withSnapshot } from "./_bolt.ts";

Deno.test("damaged names file, fault and next step", () => {
  const error = damagedError(
    { subject: 'Snapshot "a.db"', hint: "Again" },
    "page 3: it is gone",
  );
  assert.ok(error instanceof OsctlError);
  assert.equal(error.message, 'Snapshot "a.db" is damaged: page 3: it is gone');
  assert.equal(error.hint, "Again");
  assert.equal(error.status, 1);
});

Deno.test("bytes are read at an offset", async () => {
  const content = new Uint8Array(300_000).map((_, at) => at * 7 & 255);
  await withSnapshot(content, (snapshot) => {
    for (const [at, length] of [[0, 3], [65_530, 12], [1, 299_999], [9, 0]]) {
      const { buffer } = snapshot.read(at ?? 0, length ?? 0);
      const expected = content.slice(at, (at ?? 0) + (length ?? 0));
      assert.deepEqual(new Uint8Array(buffer), expected);
    }
  });
});

Deno.test("a read notices that the file became shorter", async () => {
  await withFile(new Uint8Array(200_000), async (path) => {
    using file = await Deno.open(path);
    const snapshot = openDb(file, 200_000);
    snapshot.read(100_000, 100_000);
    await Deno.truncate(path, 65_546);
    assert.throws(() => snapshot.read(65_536, 100), {
      message: 'Snapshot "db" is damaged: it ends at byte 65546 of 200000',
      hint: "Again",
    });
  });
});

Deno.test("openSnapshot, readPieces: read errors have the path", async () => {
  await withFolder({}, async (folder) => {
    using file = await Deno.open(folder);
    const says = {
      name: "OsctlError",
      message: 'Cannot read "db": it is a directory',
    };
    assert.throws(() => openDb(file, 10).read(0, 1), says);
    const { signal } = new AbortController();
    await assert.rejects(
      Array.fromAsync(readPieces(file, "db", signal)),
      says,
    );
  });
});

Deno.test("readPieces reads what comes in small pieces, and leaves other errors alone", async () => {
  const { signal } = new AbortController();
  const sizes = [3, 1, null];
  const file = { read: () => Promise.resolve(sizes.shift() ?? null) };
  const pieces = await Array.fromAsync(
    readPieces(file, "db", signal),
    ({ length }) => length,
  );
  assert.deepEqual(pieces, [3, 1]);
  const bug = new TypeError("bug");
  const broken = { read: () => Promise.reject(bug) };
  await assert.rejects(
    Array.fromAsync(readPieces(broken, "db", signal)),
    bug,
  );
});

Deno.test("openRegular tells the size", async () => {
  await withFile(new Uint8Array(123), async (path) => {
    const { file, size } = await openRegular(path);
    file.close();
    assert.equal(size, 123);
  });
});

Deno.test("openRegular refuses what is not a file", async () => {
  await withFolder({}, async (folder) => {
    await assert.rejects(openRegular(folder), {
      name: "ConfigError",
      message: `Cannot read "${folder}": it is not a regular file`,
    });
    await assert.rejects(openRegular(`${folder}/none`), {
      name: "ConfigError",
      message: `Cannot read "${folder}/none": no such file or directory`,
    });
  });
});
