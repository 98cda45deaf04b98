import assert from "node:assert/strict";
import { readBolt } from "../../../../simulator/etcd/bolt/read.ts";
import {
  branch,
  bucket,
  bytes,
  database,
  inline,
  leaf,
  pageSize,
} from "../../../workflows/etcd/snapshot/_bolt.ts";

// Page sizes of real databases start here.
const size = 4096;

/** Buckets with text instead of bytes. */
function read(file: Uint8Array): unknown {
  const text = (part: Uint8Array) => new TextDecoder().decode(part);
  return Object.fromEntries(
    Array.from(readBolt(file), ([name, pairs]) => [
      name,
      pairs.map(([key, value]) => `${text(key)}=${text(value)}`),
    ]),
  );
}

function refuses(file: Uint8Array): void {
  const invalid = { name: "EtcdError", message: "invalid database" };
  assert.throws(() => readBolt(file), invalid);
}

Deno.test("a database has its buckets, those inside of their parent too, without buckets in them", () => {
  const file = database([
    leaf([bucket("key", 3), inline("meta", [["term", "2"]])]),
    leaf([["a", "1"], ["b", ""], ["inner", "x", 1]]),
  ], { size });
  assert.deepEqual(read(file), { key: ["a=1", "b="], meta: ["term=2"] });
});

Deno.test("a bucket of many pages is read in order", () => {
  const file = database([
    leaf([bucket("key", 3)]),
    branch([["a", 5], ["c", 4]]),
    leaf([["c", "3"], ["d", "4"]]),
    leaf([["a", "1"], ["b", "2"]]),
  ], { size });
  assert.deepEqual(read(file), { key: ["a=1", "b=2", "c=3", "d=4"] });
});

Deno.test("the newer meta page counts, unless it is damaged", () => {
  const pages = [leaf([inline("key", [["a", "1"]])]), leaf([])];
  const newer = database(pages, { size, transactions: [8, 9] });
  // Page 1 leads to the empty leaf; its sum is wrong at first.
  newer[size + 32] = 3;
  assert.deepEqual(read(newer), { key: ["a=1"] });
  const other = database(pages, { size, root: 3, transactions: [8, 9] });
  newer.set(other.subarray(size, 2 * size), size);
  assert.deepEqual(read(newer), {});
});

Deno.test("pages of another size are read", () => {
  const larger = { size: 16384 };
  const file = database([leaf([inline("key", [["a", "1"]])])], larger);
  file[20]! ^= 1; // only the second meta page is whole, 16384 bytes further
  assert.deepEqual(read(file), { key: ["a=1"] });
});

Deno.test("what is no database is refused", () => {
  refuses(new Uint8Array());
  refuses(bytes("no database".padEnd(4 * pageSize)));
});

Deno.test("pages that are no part of a tree are refused", () => {
  const meta = { size };
  refuses(database([leaf([bucket("key", 9)])], meta));
  refuses(database([leaf([bucket("key", 1)])], meta));
  refuses(database([leaf([bucket("key", 3)]), branch([["a", 3]])], meta));
  const shared = [bucket("key", 3), bucket("lease", 3)];
  refuses(database([leaf(shared), leaf([])], meta));
  const cut = database([leaf([["a", "1"]])], meta);
  refuses(cut.subarray(0, 2 * size + 40));
});
