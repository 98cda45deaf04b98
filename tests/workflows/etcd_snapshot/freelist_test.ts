import assert from "node:assert/strict";
import {
  firstLost,
  openDatabase,
} from "../../../workflows/etcd_snapshot/database.ts";
import { claimFreePages } from "../../../workflows/etcd_snapshot/freelist.ts";
import {
  database,
  free,
  leaf,
  number,
  type PageSpec,
  withBlocks,
} from "./_bolt.ts";

/** Opens a database of seven pages whose list of free pages is page 2; returns the first lost page. */
async function lost(list: PageSpec, freelist?: number) {
  const others = Array.from({ length: 4 }, () => leaf([]));
  const content = database([list, ...others], {
    pages: 7,
    ...freelist === undefined ? {} : { freelist },
  });
  return await withBlocks(content, (file) => {
    const opened = openDatabase(file);
    claimFreePages(opened);
    return firstLost(opened);
  });
}

Deno.test("claimFreePages marks free pages and the list itself", async () => {
  assert.equal(await lost(free([3, 4]), 2), 5);
  assert.equal(await lost(free([5, 3, 4, 6]), 2), undefined);
  assert.equal(await lost(free([]), 2), 3);
});

Deno.test("claimFreePages does nothing without a list", async () => {
  assert.equal(await lost(free([3])), 2);
});

Deno.test("claimFreePages reads a count that needs more room", async () => {
  const list = { ...free([3, 4]), count: 0xffff };
  const body = number(8, 2) + list.body;
  assert.equal(await lost({ ...list, body }, 2), 5);
});

Deno.test("claimFreePages refuses pages that do not exist", async () => {
  for (const page of [0, 1, 7, 2 ** 53]) {
    await assert.rejects(lost(free([page]), 2), {
      message:
        `Snapshot "db" is damaged: page 2: free page ${page} is none of 7`,
    });
  }
});

Deno.test("claimFreePages refuses pages that are listed twice", async () => {
  await assert.rejects(lost(free([3, 3]), 2), {
    message: /page 3: it is used more than once, the second time by page 2/,
  });
  await assert.rejects(lost(free([2]), 2), { message: /page 2: it is used/ });
});

Deno.test("claimFreePages refuses lists that do not fit", async () => {
  await assert.rejects(lost({ ...free([3]), count: 127 }, 2), {
    message:
      'Snapshot "db" is damaged: page 2: 127 free pages do not fit into it',
  });
  const list = { ...free([3]), count: 0xffff, body: number(8, 2 ** 50) };
  await assert.rejects(lost(list, 2), {
    message: /page 2: 1125899906842624 free pages do not fit/,
  });
});

Deno.test("claimFreePages refuses other pages", async () => {
  await assert.rejects(lost(free([3]), 4), {
    message:
      'Snapshot "db" is damaged: page 4: type 2 is no list of free pages',
  });
});
