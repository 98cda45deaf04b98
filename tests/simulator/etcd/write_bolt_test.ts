import assert from "node:assert/strict";
import {
  type BoltPair,
  writeBolt,
} from "../../../simulator/etcd/write_bolt.ts";
import { buckets, openDatabase } from "../../../lib/bolt/bolt.ts";
import { verifySnapshot } from "../../../workflows/etcd/snapshot/verify.ts";
import { withFile } from "../../workflows/etcd/snapshot/_bolt.ts";

const { signal } = new AbortController();

/** Pairs by the name of their bucket, in order. */
function readBolt(file: Uint8Array<ArrayBuffer>) {
  const source = {
    ...{ size: file.length, subject: "Snapshot", hint: "" },
    read: (at: number, length: number) => new DataView(file.buffer, at, length),
  };
  return new Map(
    Array.from(buckets(openDatabase(source)), ({ name, pages }) => [
      new TextDecoder().decode(name),
      [...pages].flatMap(({ elements }) =>
        elements.map(({ key, value }) => [key, value] as const)
      ),
    ]),
  );
}

/** A revision as etcd keeps it: key `a`, value of some bytes. */
function revision(number: number, length = 0): BoltPair {
  const key = new Uint8Array(17);
  new DataView(key.buffer).setBigUint64(0, BigInt(number));
  key[8] = 0x5f;
  const size = [0x80 | length & 0x7f, length >> 7];
  const value = new Uint8Array(length).fill(7);
  return [key, new Uint8Array([10, 1, 0x61, 42, ...size, ...value])];
}

Deno.test("a database of more than one page in a row and in depth verifies as a whole", async () => {
  // One value is longer than a page, and the leaves take more than one branch.
  const numbers = Array.from({ length: 500 }, (_, index) => index + 2);
  const pairs = numbers.map((one) => revision(one, one === 9 ? 9000 : 1500));
  const file = writeBolt(new Map([["key", pairs], ["lease", []]]));
  const status = await withFile(file, (path) => verifySnapshot(path, signal));
  assert.deepEqual(
    [status.revision, status.totalEntries, status.totalSize],
    [501, 500, file.length],
  );
  const kinds = new DataView(file.buffer);
  const branches = Array.from(
    { length: file.length / 4096 },
    (_, page) => kinds.getUint16(page * 4096 + 8, true),
  ).filter((kind) => kind === 1);
  assert.equal(branches.length, 4);
  assert.deepEqual(readBolt(file).get("key"), pairs);
});
