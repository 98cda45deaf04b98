import assert from "node:assert/strict";
import fc from "fast-check";
import { OsctlError } from "../../../../errors.ts";
import { verifySnapshot } from "../../../../workflows/etcd/snapshot/verify.ts";
import { pageSize, seal, withFile } from "./_bolt.ts";
import { snapshotDatabase } from "./_snapshot.ts";

/**
 * Most bytes that are read: each page once, its first part once more when it
 * continues on the pages behind it, and the page that is found to be used twice.
 */
const mostBytes = 3 * snapshotDatabase.length;

/** Changes a file in place, and returns what is left of it. */
type Damage = (content: Bytes) => Bytes;

type Bytes = Uint8Array<ArrayBuffer>;

const place = fc.nat(snapshotDatabase.length - 1);

/** Some bytes are others. */
const overwritten = fc.tuple(
  place,
  fc.uint8Array({ minLength: 1, maxLength: 40 }),
).map(([at, bytes]): Damage => (content) => {
  const room = content.subarray(at);
  room.set(bytes.subarray(0, room.length));
  return content;
});

/** A number in a header or in the first lines of a table is another. */
const renumbered = fc.tuple(
  fc.nat(8),
  fc.nat(24),
  fc.oneof(fc.nat(40), fc.nat(0xffff_ffff)),
).map(([page, word, value]): Damage => (content) => {
  const at = page * pageSize + 4 * word;
  const view = new DataView(content.buffer, 0, content.length);
  if (at + 4 <= content.length) view.setUint32(at, value, true);
  return content;
});

/** A page is a copy of another. */
const copied = fc.tuple(fc.nat(8), fc.nat(8)).map(
  ([from, to]): Damage => (content) => {
    const page = content.slice(from * pageSize, (from + 1) * pageSize);
    if ((to + 1) * pageSize <= content.length) content.set(page, to * pageSize);
    return content;
  },
);

const cut = place.map((size): Damage => (content) => content.subarray(0, size));

const damages = fc.array(fc.oneof(overwritten, renumbered, copied, cut), {
  minLength: 1,
  maxLength: 4,
});

/** Applies damages to a copy. */
function apply(whole: Bytes, all: readonly Damage[]): Bytes {
  return all.reduce<Bytes>((content, damage) => damage(content), whole.slice());
}

/** Bytes of databases that were read so far. */
let bytesRead = 0;

const { readSync } = Deno.FsFile.prototype;
Deno.FsFile.prototype.readSync = function (into) {
  const size = readSync.call(this, into);
  bytesRead += size ?? 0;
  return size;
};

/** Result of reading; anything but success and a `ConfigError` fails the test, as does too much work. */
async function outcome(content: Uint8Array): Promise<"whole" | "damaged"> {
  const before = bytesRead;
  try {
    const { signal } = new AbortController();
    await withFile(content, (path) => verifySnapshot(path, signal));
    return "whole";
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return "damaged";
  } finally {
    const count = bytesRead - before;
    assert.ok(count <= mostBytes, `${count} of ${mostBytes} bytes`);
  }
}

Deno.test("verifySnapshot reads each part of a damaged database a few times at most", async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(damages, async (all) => {
      ends.add(await outcome(apply(snapshotDatabase, all)));
    }),
    { numRuns: 1_000 },
  );
  // Bytes that nothing refers to may be anything.
  assert.deepEqual([...ends].sort(), ["damaged", "whole"]);
});

Deno.test("verifySnapshot finds any damage by the trailer", async () => {
  const whole = await seal(snapshotDatabase);
  await fc.assert(
    fc.asyncProperty(damages, async (all) => {
      const content = apply(whole, all);
      const same = content.toHex() === whole.toHex();
      // Cut off with its trailer, a database is one without.
      const bare = content.length === snapshotDatabase.length;
      if (!bare) {
        assert.equal(await outcome(content), same ? "whole" : "damaged");
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("verifySnapshot reads no more of a damaged database for which the trailer vouches", async () => {
  await fc.assert(
    fc.asyncProperty(damages, async (all) => {
      await outcome(await seal(apply(snapshotDatabase, all)));
    }),
    { numRuns: 300 },
  );
});

Deno.test("verifySnapshot reads a page once that says that others continue it", async () => {
  await fc.assert(
    fc.asyncProperty(damages, async (all) => {
      await outcome(apply(snapshotDatabase, all));
    }),
    // It had read the first of these pages twice.
    { seed: 223078711, path: "95:0", endOnFailure: true },
  );
});
