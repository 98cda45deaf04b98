import assert from "node:assert/strict";
import {
  claim,
  type Database,
  firstLost,
  openDatabase,
  type Page,
  pageAt,
} from "../../../../workflows/etcd/snapshot/database.ts";
import {
  database,
  leaf,
  type MetaSpec,
  pageSize,
  type PageSpec,
  withBlocks,
} from "./_bolt.ts";

/** Five pages, of which the third goes on in the fourth. */
const pages = [leaf([["a", "1"]]), leaf([["b", "x".repeat(1500)]])];

async function open<T>(
  test: (database: Database) => T,
  spec: MetaSpec = {},
  specs: readonly PageSpec[] = pages,
): Promise<T> {
  return await withBlocks(
    database(specs, spec),
    (file) => test(openDatabase(file)),
  );
}

Deno.test("openDatabase refuses a file that is cut short", async () => {
  await assert.rejects(open(() => {}, { pages: 6 }), {
    message:
      'Snapshot "db" is damaged: it is cut short: page 0 says 6 pages of 1024 bytes, there are 5120 bytes',
  });
  await assert.rejects(open(() => {}, { pages: 2 ** 53 }), {
    message: /cut short/,
  });
});

Deno.test("openDatabase takes a file with room to grow", async () => {
  assert.equal(await open(({ meta }) => meta.pages, { pages: 4 }), 4);
});

Deno.test("pageAt reads a header", async () => {
  assert.deepEqual(
    await open((opened) => pageAt(opened, 3, 2)),
    {
      number: 3,
      at: 3 * pageSize,
      kind: 2,
      count: 1,
      end: 5 * pageSize,
    } satisfies Page,
  );
});

Deno.test("pageAt refuses pages that do not exist", async () => {
  await open((opened) => {
    for (const page of [0, 1, 5, 2 ** 40, NaN]) {
      assert.throws(() => pageAt(opened, page, 2), {
        message:
          `Snapshot "db" is damaged: page 2: it refers to page ${page} of 5`,
      });
    }
  });
});

Deno.test("pageAt refuses the header of another page", async () => {
  await open(
    (opened) =>
      assert.throws(() => pageAt(opened, 2, 0), {
        message:
          'Snapshot "db" is damaged: page 2: its header is that of page 9',
      }),
    {},
    [{ ...leaf([]), number: 9 }],
  );
});

Deno.test("pageAt refuses pages that go on too long", async () => {
  for (const [overflow, last] of [[1, 3], [2 ** 32 - 1, 4_294_967_297]]) {
    const spec = { ...leaf([]), overflow: overflow ?? 0 };
    await open(
      (opened) =>
        assert.throws(() => pageAt(opened, 2, 0), {
          message:
            `Snapshot "db" is damaged: page 2: it goes on to page ${last} of 3`,
        }),
      {},
      [spec],
    );
  }
});

Deno.test("pageAt refuses pages that are used twice", async () => {
  await open((opened) => {
    pageAt(opened, 3, 2);
    assert.throws(() => pageAt(opened, 3, 2), {
      message:
        'Snapshot "db" is damaged: page 3: it is used more than once, the second time by page 2',
    });
    assert.throws(() => claim(opened, 4, 2), {
      message: /^Snapshot "db" is damaged: page 4: it is used more than once/,
    });
    assert.throws(() => claim(opened, 1, 2), { message: /page 1: it is used/ });
  });
});

Deno.test("firstLost finds the first page that was not reached", async () => {
  await open((opened) => {
    assert.equal(firstLost(opened), 2);
    claim(opened, 2, 0);
    claim(opened, 4, 0);
    assert.equal(firstLost(opened), 3);
    claim(opened, 3, 0);
    assert.equal(firstLost(opened), undefined);
  });
});
