import assert from "node:assert/strict";
import { readMeta } from "../../../lib/bolt/meta_page.ts";
import {
  database,
  leaf,
  type MetaSpec,
  pageSize,
  withSnapshot,
} from "../../workflows/etcd/snapshot/_bolt.ts";

/** First byte of what a meta page says. */
const body = 16;

async function read(spec: MetaSpec, edit?: (content: Uint8Array) => void) {
  const content = database([leaf([])], spec);
  edit?.(content);
  return await withSnapshot(content, readMeta);
}

async function damageError(
  edit: (content: Uint8Array) => void,
): Promise<string> {
  try {
    await read({}, (content) => {
      edit(content);
      edit(content.subarray(pageSize));
    });
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
  return "nothing";
}

Deno.test("readMeta reads the checksum as etcd wrote it", async () => {
  // The first page of a database that etcd 3.4 made.
  const page = new Uint8Array(4096);
  page.set(Uint8Array.fromHex(
    "00000000000000000400000000000000edda0ced02000000001000000000000003000000000000000000000000000000ffffffffffffffff05000000000000000800000000000000ed5238741b4038d0",
  ));
  assert.deepEqual((await withSnapshot(page, readMeta)).meta, {
    page: 0,
    pageSize: 4096,
    root: 3,
    freelist: undefined,
    pages: 5,
    transaction: 8n,
  });
});

Deno.test("readMeta takes the later transaction", async () => {
  const spec = { root: 7, freelist: 9, pages: 11 };
  assert.deepEqual(await read({ ...spec, transactions: [5, 6] }), {
    meta: {
      page: 1,
      pageSize,
      root: 7,
      freelist: 9,
      pages: 11,
      transaction: 6n,
    },
    broken: undefined,
  });
  assert.equal((await read({ transactions: [6, 5] })).meta.page, 0);
  assert.equal((await read({ transactions: [6, 6] })).meta.page, 0);
});

Deno.test("readMeta makes do with one valid page", async () => {
  const later = { transactions: [5, 6] } as const;
  const second = await read(later, (content) => content[pageSize + body] = 1);
  assert.equal(second.meta.page, 0);
  assert.equal(
    second.broken,
    "page 1: its magic number is 0xed0cda01, not 0xed0cdaed",
  );
  const first = await read(later, (content) => content[body + 50] = 1);
  assert.equal(first.meta.page, 1);
  assert.match(first.broken ?? "", /^page 0: its checksum is 0x.*, it says 0x/);
});

Deno.test("readMeta says what is wrong when no page is valid", async () => {
  const none = "and there is no other meta page";
  assert.equal(
    await damageError((content) => content.set([0x1f, 0x8b], body)),
    `Snapshot "db" is damaged: page 0: its magic number is 0xed0c8b1f, not 0xed0cdaed, ${none}`,
  );
  assert.equal(
    await damageError((content) => content[body + 4] = 3),
    `Snapshot "db" is damaged: page 0: its format is version 3, only 2 is known, ${none}`,
  );
  assert.match(
    await damageError((content) => content[body + 20] = 3),
    /page 0: its checksum is 0x[0-9a-f]{16}, it says 0x[0-9a-f]{16}, and/,
  );
});

Deno.test("readMeta refuses a valid page with the header of another", async () => {
  const faults = [
    [0, 7, "page 0: its header is that of page 7, type 0x04"],
    [8, 2, "page 0: its header is that of page 0, type 0x02"],
    [pageSize, 2, "page 1: its header is that of page 2, type 0x04"],
    [pageSize + 9, 1, "page 1: its header is that of page 1, type 0x104"],
  ] as const;
  for (const [at, value, fault] of faults) {
    await assert.rejects(read({}, (content) => content[at] = value), {
      message: `Snapshot "db" is damaged: ${fault}`,
    });
  }
});

Deno.test("readMeta refuses page sizes no system has", async () => {
  for (const size of [512, 3000, 131_072]) {
    await assert.rejects(read({ size }), {
      message:
        `Snapshot "db" is damaged: page 0: its page size is ${size}, and there is no other meta page`,
    });
  }
});

Deno.test("readMeta refuses files that are too short", async () => {
  for (const size of [0, 15, 79]) {
    await assert.rejects(withSnapshot(new Uint8Array(size), readMeta), {
      message:
        'Snapshot "db" is damaged: page 0 is missing, and there is no other meta page',
    });
  }
});

Deno.test("readMeta trusts no page at the wrong place", async () => {
  const content = database([leaf([])]);
  const page = content.slice(pageSize, 2 * pageSize);
  content[body] = 0;
  content[pageSize + body] = 0;
  content.set(page, 2 * pageSize);
  await assert.rejects(withSnapshot(content, readMeta), {
    message: /there is no other meta page/,
  });
});
