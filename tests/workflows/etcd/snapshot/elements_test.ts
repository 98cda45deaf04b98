import assert from "node:assert/strict";
import {
  childPages,
  damagedElement,
  eachLeafElement,
  textOf,
} from "../../../../workflows/etcd/snapshot/elements.ts";
import { startOrder } from "../../../../workflows/etcd/snapshot/key_order.ts";
import {
  branch,
  database,
  type Element,
  leaf,
  number,
  pageSize,
  type PageSpec,
  withBlocks,
} from "./_bolt.ts";

/** First line of the table of a leaf or branch page. */
const table = 16;

/** Reads page 2 after some of its numbers were changed: offset on the page to four bytes. */
async function read<T>(
  spec: PageSpec,
  changes: Readonly<Record<number, number>>,
  test: (...given: Parameters<typeof childPages>) => T,
): Promise<T> {
  const content = database([spec]);
  for (const [at, value] of Object.entries(changes)) {
    const view = new DataView(content.buffer);
    view.setUint32(2 * pageSize + Number(at), value, true);
  }
  const count = new DataView(content.buffer).getUint16(2 * pageSize + 10, true);
  const page = {
    where: "page 2",
    at: 2 * pageSize,
    count,
    end: content.length,
  };
  return await withBlocks(
    content,
    (file) => test(file, page, startOrder()),
  );
}

async function elementsOf(
  elements: readonly Element[],
  changes: Readonly<Record<number, number>> = {},
) {
  return await read(leaf(elements), changes, (file, page, order) => {
    const seen: string[] = [];
    const extent = eachLeafElement(file, page, order, (element) => {
      const [key, value] = [element.key, element.value].map((part) =>
        textOf(file, part)
      );
      seen.push(`${element.index} ${key}=${value} ${element.bucket}`);
    });
    return { seen, extent };
  });
}

async function childrenOf(
  children: readonly (readonly [string, number])[],
  changes: Readonly<Record<number, number>> = {},
) {
  return await read(
    branch(children),
    changes,
    (...given) => [...childPages(...given)],
  );
}

/** What is wrong, without file and page. */
async function fault(read: Promise<unknown>): Promise<string> {
  try {
    await read;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.replace('Snapshot "db" is damaged: page 2: ', "");
  }
  return "nothing";
}

Deno.test("eachLeafElement visits keys with their values", async () => {
  const elements: Element[] = [["a", "1"], ["bc", ""], ["d", "xyz", 1]];
  const start = 2 * pageSize + 16 + 3 * 16;
  assert.deepEqual(await elementsOf(elements), {
    seen: ["0 a=1 false", "1 bc= false", "2 d=xyz true"],
    extent: { at: start, end: start + 8 },
  });
  assert.deepEqual((await elementsOf([])).seen, []);
});

Deno.test("eachLeafElement refuses keys and values at other places", async () => {
  const elements: Element[] = [["a", "1"], ["bc", "23"]];
  const second = table + 16;
  const wrong = "element 1: it is not where it should be";
  assert.equal(await fault(elementsOf(elements, { [second + 4]: 17 })), wrong);
  assert.equal(
    await fault(elementsOf(elements, { [second + 8]: 0xffff_ffff })),
    wrong,
  );
  assert.equal(
    await fault(elementsOf(elements, { [second + 12]: 1000 })),
    wrong,
  );
  assert.equal(await fault(elementsOf(elements, { [table + 12]: 2 })), wrong);
});

Deno.test("eachLeafElement refuses keys that are empty or too long", async () => {
  const empty: Element[] = [["", "1"]];
  assert.equal(
    await fault(elementsOf(empty)),
    "element 0: its key has 0 bytes",
  );
  assert.equal((await elementsOf([["k".repeat(32_768), ""]])).seen.length, 1);
  assert.equal(
    await fault(elementsOf([["k".repeat(32_769), ""]])),
    "element 0: its key has 32769 bytes",
  );
});

Deno.test("eachLeafElement refuses keys out of order", async () => {
  const wrong = "element 1: its key should come earlier";
  assert.equal(await fault(elementsOf([["b", ""], ["a", ""]])), wrong);
  assert.equal(await fault(elementsOf([["b", ""], ["b", ""]])), wrong);
});

Deno.test("eachLeafElement refuses unknown flags", async () => {
  assert.equal(
    await fault(elementsOf([["a", "", 2]])),
    "element 0: its flags are 2",
  );
});

Deno.test("eachLeafElement refuses more elements than fit", async () => {
  // The count stands in the upper half of this word.
  const changes = { 8: 64 * 0x1_0000 + 2 };
  assert.equal(
    await fault(elementsOf([["a", "1"]], changes)),
    "64 elements do not fit into it",
  );
});

Deno.test("childPages names the pages below", async () => {
  assert.deepEqual(await childrenOf([["a", 7], ["b", 2 ** 40]]), [7, 2 ** 40]);
});

Deno.test("childPages refuses damaged elements", async () => {
  const children = [["a", 7], ["bc", 8]] as const;
  const second = table + 16;
  const wrong = "element 1: it is not where it should be";
  assert.equal(await fault(childrenOf(children, { [second]: 1 })), wrong);
  assert.equal(
    await fault(childrenOf(children, { [second + 4]: 2000 })),
    wrong,
  );
  assert.equal(
    await fault(childrenOf(children, { [second + 4]: 0 })),
    "element 1: its key has 0 bytes",
  );
  assert.equal(
    await fault(childrenOf([["b", 7], ["a", 8]])),
    "element 1: its key should come earlier",
  );
  assert.equal(
    await fault(childrenOf(children, { 8: 80 * 0x1_0000 + 1 })),
    "80 elements do not fit into it",
  );
});

Deno.test("damagedElement names the element", async () => {
  await withBlocks(new Uint8Array(), (file) => {
    const page = { where: "page 9", at: 0, count: 0, end: 0 };
    assert.equal(
      damagedElement(file, { page, index: 3 }, "it is gone").message,
      'Snapshot "db" is damaged: page 9: element 3: it is gone',
    );
  });
});

Deno.test("textOf cuts long keys", async () => {
  const content = new TextEncoder().encode("k".repeat(200) + number(1, 0x41));
  await withBlocks(content, (file) => {
    assert.equal(textOf(file, { at: 0, end: 200 }), "k".repeat(100));
    assert.equal(textOf(file, { at: 199, end: 201 }), "kA");
  });
});
