import assert from "node:assert/strict";
import {
  buckets,
  firstLostPage,
  openDatabase,
} from "../../../lib/bolt/bolt.ts";
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
} from "../../workflows/etcd/snapshot/_bolt.ts";

/** Reads everything: `bucket: key=value …` for each leaf page. */
async function readContent(bytes: Uint8Array): Promise<string[]> {
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
  return readContent(database(pages));
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

const one = leaf([bucket("one", 3)]);
const below = branch([["b", 4], ["d", 5]]);
/** An element of the root page whose value has other bytes than a bucket. */
const odd = (value: string, flags = 1) => leaf([["a", value, flags]]);
const withHeader = (head: string) => odd(number(16, 0) + head.padEnd(16, "\0"));
const noLeaf = "page 2: element 0: its bucket has no leaf page";

const refused: readonly (readonly [string, ...PageSpec[]])[] = [
  ["page 2: element 0: it is not a bucket", odd(number(16, 0), 0)],
  ["page 2: element 0: it is not a bucket", odd(number(15, 0))],
  ["page 2: element 0: it is too short for a bucket", odd(number(31, 0))],
  [noLeaf, withHeader("\x01")],
  [noLeaf, withHeader("\0".repeat(8) + "\x01")],
  [noLeaf, withHeader("\0".repeat(8) + "\x02\0\0\0\x01")],
  [
    "page 4: element 0: its key should come earlier",
    ...[one, below, leaf([["a", ""]]), leaf([["d", ""]])],
  ],
  [
    "page 3: element 1: its key should come earlier",
    ...[one, below, leaf([["e", ""]]), leaf([["f", ""]])],
  ],
  ["page 3: type 3 holds no keys", one, { kind: 3, count: 0, body: "" }],
  ["page 3: there is nothing below it", one, branch([])],
  [
    "page 3: it is used more than once, the second time by page 4",
    ...[one, branch([["a", 4]]), branch([["a", 3]])],
  ],
  [
    "page 2: it is used more than once, the second time by page 2",
    leaf([bucket("one", 2)]),
  ],
  ["page 2: its header is that of page 9", { ...leaf([]), number: 9 }],
  ["page 2: it continues on page 3 of 3", { ...leaf([]), overflow: 1 }],
  [
    "page 2: it continues on page 4294967297 of 3",
    { ...leaf([]), overflow: 2 ** 32 - 1 },
  ],
  ...[1, 3, 9, 2 ** 40].map((page) =>
    [
      `page 2: it refers to page ${page} of 3`,
      leaf([bucket("one", page)]),
    ] as const
  ),
];

Deno.test("buckets names what is wrong with a page", async () => {
  for (const [why, ...pages] of refused) {
    assert.equal(await fault(...pages), why);
  }
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

async function elementFault(
  page: PageSpec,
  changes: Readonly<Record<number, number>> = {},
): Promise<string> {
  // Branches lead to pages 7 and 8.
  const others = [
    ...Array(3).fill(leaf([])),
    ...Array(2).fill(leaf([["a", ""]])),
  ];
  const bytes = database([one, page, ...page.kind === 1 ? others : []]);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of Object.entries(changes)) {
    view.setUint32(3 * pageSize + Number(at), value, true);
  }
  const problem = await readContent(bytes).catch(({ message }) => message);
  return typeof problem === "string"
    ? problem.replace('Snapshot "db" is damaged: page 3: ', "")
    : "nothing";
}

/** First and second line of the table of a leaf or branch page. */
const [first, second] = [16, 32];
const keys = (...all: readonly string[]) => leaf(all.map((key) => [key, ""]));
const two = leaf([["a", "1"], ["bc", "23"]]);
const parted = branch([["a", 7], ["bc", 8]]);
const misplaced = "element 1: it is not where it should be";
const early = "element 1: its key should come earlier";

const damagedElements: readonly (readonly [
  string,
  PageSpec,
  Readonly<Record<number, number>>?,
])[] = [
  [misplaced, two, { [second + 4]: 17 }],
  [misplaced, two, { [second + 8]: 0xffff_ffff }],
  [misplaced, two, { [second + 12]: 1000 }],
  [misplaced, two, { [first + 12]: 2 }],
  ["element 0: its key has 0 bytes", leaf([["", "1"]])],
  ["nothing", keys("k".repeat(32_768))],
  ["element 0: its key has 32769 bytes", keys("k".repeat(32_769))],
  [early, keys("b", "a")],
  [early, keys("b", "b")],
  [early, keys("bc", "b")],
  [early, keys("\x80", "\x7f")],
  ["nothing", keys("a", "ab", "abc", "abd", "b", "ba", "\x7f", "\x80")],
  ["element 0: its flags are 2", leaf([["a", "", 2]])],
  // The count is in the upper half of this word.
  [
    "64 elements do not fit into it",
    leaf([["a", "1"]]),
    { 8: 64 * 0x1_0000 + 2 },
  ],
  [misplaced, parted, { [second]: 1 }],
  [misplaced, parted, { [second + 4]: 2000 }],
  ["element 1: its key has 0 bytes", parted, { [second + 4]: 0 }],
  [early, branch([["a", 7], ["a", 8]])],
  ["80 elements do not fit into it", parted, { 8: 80 * 0x1_0000 + 1 }],
];

Deno.test("buckets names what is wrong with an element", async () => {
  for (const [why, ...page] of damagedElements) {
    assert.equal(await elementFault(...page), why);
  }
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

Deno.test("firstLostPage finds the first page that was not reached", async () => {
  await withSnapshot(database([leaf([])], { freelist: 2 }), (snapshot) => {
    const opened = openDatabase(snapshot);
    assert.equal(firstLostPage(opened), 2);
    assert.equal([...buckets(opened)].length, 0);
    assert.equal(firstLostPage(opened), undefined);
  });
});
