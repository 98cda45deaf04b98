import assert from "node:assert/strict";
import { openDatabase } from "../../../../workflows/etcd/snapshot/database.ts";
import {
  eachLeafElement,
  textOf,
} from "../../../../workflows/etcd/snapshot/elements.ts";
import { startOrder } from "../../../../workflows/etcd/snapshot/key_order.ts";
import {
  buckets,
  leafPages,
} from "../../../../workflows/etcd/snapshot/tree.ts";
import {
  branch,
  bucket,
  database,
  type Element,
  inline,
  leaf,
  number,
  type PageSpec,
  withBlocks,
} from "./_bolt.ts";

/** Reads everything: `bucket: key=value …` for each leaf page. */
async function content(...pages: readonly PageSpec[]): Promise<string[]> {
  return await withBlocks(database(pages), (file) => {
    const opened = openDatabase(file);
    const seen: string[] = [];
    for (const bucket of buckets(opened)) {
      const order = startOrder();
      for (const page of leafPages(opened, bucket, order)) {
        const pairs: string[] = [];
        eachLeafElement(file, page, order, ({ key, value }) => {
          pairs.push(`${textOf(file, key)}=${textOf(file, value)}`);
        });
        seen.push(`${bucket.name}: ${pairs.join(" ")}`);
      }
    }
    return seen;
  });
}

async function fault(...pages: readonly PageSpec[]): Promise<string> {
  try {
    return (await content(...pages)).join();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.replace('Snapshot "db" is damaged: ', "");
  }
}

const some: readonly Element[] = [["a", "1"], ["b", "2"]];

Deno.test("leafPages reads buckets with pages of their own and those without", async () => {
  assert.deepEqual(
    await content(
      leaf([bucket("one", 3), inline("two", [["x", "y"]]), inline("zero", [])]),
      leaf(some),
    ),
    ["one: a=1 b=2", "two: x=y", "zero: "],
  );
});

Deno.test("leafPages goes through a tree in the order of its keys", async () => {
  assert.deepEqual(
    await content(
      leaf([bucket("one", 3)]),
      branch([["a", 4], ["m", 7]]),
      branch([["a", 6], ["c", 5]]),
      leaf([["ca", "2"]]),
      leaf(some),
      branch([["m", 8]]),
      leaf([["n", "x"]]),
    ),
    ["one: a=1 b=2", "one: ca=2", "one: n=x"],
  );
});

Deno.test("buckets reads names from several pages", async () => {
  assert.deepEqual(
    await content(
      branch([["a", 3], ["c", 4]]),
      leaf([inline("a", []), inline("b", [])]),
      leaf([inline("c", [])]),
    ),
    ["a: ", "b: ", "c: "],
  );
});

Deno.test("buckets refuses what is none", async () => {
  const wrong = "page 2: element 0: it is no bucket";
  assert.equal(await fault(leaf([["a", number(16, 0)]])), wrong);
  assert.equal(await fault(leaf([["a", number(15, 0), 1]])), wrong);
});

Deno.test("leafPages refuses a bucket too short for a page", async () => {
  assert.equal(
    await fault(leaf([["a", number(31, 0), 1]])),
    "page 2: element 0: it is too short for a bucket",
  );
});

Deno.test("leafPages refuses a bucket whose own page is no leaf", async () => {
  const wrong = "page 2: element 0: its bucket has no leaf page";
  for (
    const head of [
      "\x01",
      "\0".repeat(8) + "\x01",
      "\0".repeat(8) + "\x02\0\0\0\x01",
    ]
  ) {
    const value = number(16, 0) + head.padEnd(16, "\0");
    assert.equal(await fault(leaf([["a", value, 1]])), wrong);
  }
});

Deno.test("leafPages refuses keys outside of their branch", async () => {
  const root = leaf([bucket("one", 3)]);
  const below = branch([["b", 4], ["d", 5]]);
  assert.equal(
    await fault(root, below, leaf([["a", ""]]), leaf([["d", ""]])),
    "page 4: element 0: its key should come earlier",
  );
  assert.equal(
    await fault(root, below, leaf([["e", ""]]), leaf([["f", ""]])),
    "page 3: element 1: its key should come earlier",
  );
});

Deno.test("leafPages refuses pages that hold no keys", async () => {
  assert.equal(
    await fault(leaf([bucket("one", 3)]), { kind: 3, count: 0, body: "" }),
    "page 3: type 3 holds no keys",
  );
  assert.equal(
    await fault(leaf([bucket("one", 3)]), branch([])),
    "page 3: there is nothing below it",
  );
});

Deno.test("leafPages refuses pages that lead back to themselves", async () => {
  assert.equal(
    await fault(
      leaf([bucket("one", 3)]),
      branch([["a", 4]]),
      branch([["a", 3]]),
    ),
    "page 3: it is used more than once, the second time by page 4",
  );
  assert.equal(
    await fault(leaf([bucket("one", 2)])),
    "page 2: it is used more than once, the second time by page 2",
  );
});

Deno.test("leafPages refuses a tree that is too high", async () => {
  const levels = Array.from({ length: 64 }, (_, i) => branch([["a", i + 4]]));
  assert.equal(
    await fault(leaf([bucket("one", 3)]), ...levels, leaf(some)),
    "page 66: there is more than 64 levels below it",
  );
  assert.deepEqual(
    await content(leaf([bucket("one", 3)]), ...levels.slice(0, 63), leaf(some)),
    ["one: a=1 b=2"],
  );
});

Deno.test("leafPages names the page that refers to a missing one", async () => {
  assert.equal(
    await fault(leaf([bucket("one", 9)])),
    "page 2: it refers to page 9 of 3",
  );
});
