import assert from "node:assert/strict";
import {
  buckets,
  firstLostPage,
  openDatabase,
} from "../../../../workflows/etcd/snapshot/bolt.ts";
import {
  branch,
  bucket,
  database,
  type Element,
  inline,
  leaf,
  type MetaSpec,
  number,
  pageSize,
  type PageSpec,
  withSnapshot,
} from "./_bolt.ts";

/** Reads everything: `bucket: key=value …` for each leaf page. */
async function contentOf(bytes: Uint8Array): Promise<string[]> {
  return await withSnapshot(bytes, (snapshot) => {
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const seen: string[] = [];
    for (const { name, pages } of buckets(openDatabase(snapshot))) {
      for (const { elements } of pages) {
        const pairs = elements.map(({ key, value }) =>
          `${text(key)}=${text(value)}`
        );
        seen.push(`${text(name)}: ${pairs.join(" ")}`);
      }
    }
    return seen;
  });
}

function content(...pages: readonly PageSpec[]): Promise<string[]> {
  return contentOf(database(pages));
}

/** What is wrong, without the file. */
async function fault(...pages: readonly PageSpec[]): Promise<string> {
  try {
    return (await content(...pages)).join();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.replace('Snapshot "db" is damaged: ', "");
  }
}

const some: readonly Element[] = [["a", "1"], ["b", "2"]];

Deno.test("buckets reads buckets with pages of their own and those without", async () => {
  assert.deepEqual(
    await content(
      leaf([bucket("one", 3), inline("two", [["x", "y"]]), inline("zero", [])]),
      leaf(some),
    ),
    ["one: a=1 b=2", "two: x=y", "zero: "],
  );
});

Deno.test("buckets goes through a tree in the order of its keys", async () => {
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
  const wrong = "page 2: element 0: it is not a bucket";
  assert.equal(await fault(leaf([["a", number(16, 0)]])), wrong);
  assert.equal(await fault(leaf([["a", number(15, 0), 1]])), wrong);
});

Deno.test("buckets refuses a bucket too short for a page", async () => {
  assert.equal(
    await fault(leaf([["a", number(31, 0), 1]])),
    "page 2: element 0: it is too short for a bucket",
  );
});

Deno.test("buckets refuses a bucket whose own page is not a leaf", async () => {
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

Deno.test("buckets refuses keys outside of their branch", async () => {
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

Deno.test("buckets refuses pages that hold no keys", async () => {
  assert.equal(
    await fault(leaf([bucket("one", 3)]), { kind: 3, count: 0, body: "" }),
    "page 3: type 3 holds no keys",
  );
  assert.equal(
    await fault(leaf([bucket("one", 3)]), branch([])),
    "page 3: there is nothing below it",
  );
});

Deno.test("buckets refuses pages that lead back to themselves", async () => {
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

Deno.test("buckets refuses a tree that is too high", async () => {
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

Deno.test("buckets names the page that refers to a missing one", async () => {
  assert.equal(
    await fault(leaf([bucket("one", 9)])),
    "page 2: it refers to page 9 of 3",
  );
});

/** What is wrong with the bucket `one`, whose page 3 has some words changed: offset on the page to four bytes. */
async function elementFault(
  page: PageSpec,
  changes: Readonly<Record<number, number>> = {},
): Promise<string> {
  const bytes = database([leaf([bucket("one", 3)]), page]);
  for (const [at, value] of Object.entries(changes)) {
    new DataView(bytes.buffer).setUint32(
      3 * pageSize + Number(at),
      value,
      true,
    );
  }
  try {
    await contentOf(bytes);
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.replace('Snapshot "db" is damaged: page 3: ', "");
  }
  return "nothing";
}

/** First line of the table of a leaf or branch page. */
const table = 16;

Deno.test("buckets refuses keys and values at other places", async () => {
  const page = leaf([["a", "1"], ["bc", "23"]]);
  const second = table + 16;
  const wrong = "element 1: it is not where it should be";
  for (
    const changes of [
      { [second + 4]: 17 },
      { [second + 8]: 0xffff_ffff },
      { [second + 12]: 1000 },
      { [table + 12]: 2 },
    ]
  ) assert.equal(await elementFault(page, changes), wrong);
});

Deno.test("buckets refuses keys that are empty or too long", async () => {
  assert.equal(
    await elementFault(leaf([["", "1"]])),
    "element 0: its key has 0 bytes",
  );
  assert.equal(await elementFault(leaf([["k".repeat(32_768), ""]])), "nothing");
  assert.equal(
    await elementFault(leaf([["k".repeat(32_769), ""]])),
    "element 0: its key has 32769 bytes",
  );
});

Deno.test("buckets refuses keys out of order", async () => {
  const wrong = "element 1: its key should come earlier";
  for (
    const keys of [["b", "a"], ["b", "b"], ["bc", "b"], ["\x80", "\x7f"]]
  ) {
    const page = leaf(keys.map((key) => [key, ""]));
    assert.equal(await elementFault(page), wrong);
  }
  const ascending = ["a", "ab", "abc", "abd", "b", "ba", "\x7f", "\x80"];
  const page = leaf(ascending.map((key) => [key, ""]));
  assert.equal(await elementFault(page), "nothing");
});

Deno.test("buckets refuses unknown flags", async () => {
  assert.equal(
    await elementFault(leaf([["a", "", 2]])),
    "element 0: its flags are 2",
  );
});

Deno.test("buckets refuses more elements than fit", async () => {
  // The count is in the upper half of this word.
  assert.equal(
    await elementFault(leaf([["a", "1"]]), { 8: 64 * 0x1_0000 + 2 }),
    "64 elements do not fit into it",
  );
});

Deno.test("buckets refuses damaged elements of branches", async () => {
  const page = branch([["a", 7], ["bc", 8]]);
  const below = leaf([["a", ""]]);
  const faultOf = async (
    page: PageSpec,
    changes: Readonly<Record<number, number>> = {},
  ) => {
    const bytes = database([
      leaf([bucket("one", 3)]),
      page,
      ...Array(3).fill(leaf([])),
      below,
      below,
    ]);
    for (const [at, value] of Object.entries(changes)) {
      const view = new DataView(bytes.buffer);
      view.setUint32(3 * pageSize + Number(at), value, true);
    }
    const problem = await contentOf(bytes).catch(({ message }) => message);
    return String(problem).replace('Snapshot "db" is damaged: page 3: ', "");
  };
  const second = table + 16;
  const wrong = "element 1: it is not where it should be";
  assert.equal(await faultOf(page, { [second]: 1 }), wrong);
  assert.equal(await faultOf(page, { [second + 4]: 2000 }), wrong);
  assert.equal(
    await faultOf(page, { [second + 4]: 0 }),
    "element 1: its key has 0 bytes",
  );
  assert.equal(
    await faultOf(branch([["a", 7], ["a", 8]])),
    "element 1: its key should come earlier",
  );
  assert.equal(
    await faultOf(page, { 8: 80 * 0x1_0000 + 1 }),
    "80 elements do not fit into it",
  );
});

async function open(pages: readonly PageSpec[], spec: MetaSpec) {
  return await withSnapshot(database(pages, spec), openDatabase);
}

Deno.test("openDatabase refuses a file that is truncated", async () => {
  const pages = [leaf([["a", "1"]]), leaf([["b", "x".repeat(1500)]])];
  await assert.rejects(open(pages, { pages: 6 }), {
    message:
      'Snapshot "db" is damaged: it is truncated: page 0 says 6 pages of 1024 bytes, there are 5120 bytes',
  });
  await assert.rejects(open(pages, { pages: 2 ** 53 }), {
    message: /truncated/,
  });
  // It may have room to grow.
  assert.equal((await open(pages, { pages: 4 })).meta.pages, 4);
});

Deno.test("buckets reads values over several pages", async () => {
  const value = "x".repeat(1500);
  assert.deepEqual(
    await content(leaf([bucket("one", 3)]), leaf([["b", value]])),
    [`one: b=${value}`],
  );
});

Deno.test("buckets refuses pages that do not exist", async () => {
  for (const page of [1, 3, 2 ** 40]) {
    assert.equal(
      await fault(leaf([bucket("one", page)])),
      `page 2: it refers to page ${page} of 3`,
    );
  }
});

Deno.test("buckets refuses the header of another page", async () => {
  assert.equal(
    await fault({ ...leaf([]), number: 9 }),
    "page 2: its header is that of page 9",
  );
});

Deno.test("buckets refuses pages that continue too long", async () => {
  for (const [overflow, last] of [[1, 3], [2 ** 32 - 1, 4_294_967_297]]) {
    assert.equal(
      await fault({ ...leaf([]), overflow: overflow ?? 0 }),
      `page 2: it goes on to page ${last} of 3`,
    );
  }
});

Deno.test("firstLostPage finds the first page that was not reached", async () => {
  await withSnapshot(database([leaf([])], { freelist: 2 }), (snapshot) => {
    const opened = openDatabase(snapshot);
    assert.equal(firstLostPage(opened), 2);
    assert.equal([...buckets(opened)].length, 0);
    assert.equal(firstLostPage(opened), undefined);
  });
});
