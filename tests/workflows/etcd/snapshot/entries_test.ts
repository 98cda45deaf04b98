import assert from "node:assert/strict";
import {
  keep,
  noEntries,
} from "../../../../workflows/etcd/snapshot/entries.ts";
import { withBlocks } from "./_bolt.ts";

const page = { where: "page 2", at: 0, count: 9, end: 2 ** 21 };

/** An element with a key of three bytes. */
function element(at: number, valueSize: number) {
  const value = { at: at + 3, end: at + 3 + valueSize };
  return {
    page,
    index: 4,
    key: { at, end: at + 3 },
    value,
    bucket: false,
  };
}

Deno.test("keep sorts entries by bucket", async () => {
  const content = new TextEncoder().encode("abc12def3ghi");
  await withBlocks(content, (file) => {
    const entries = noEntries();
    keep(entries, file, "members", element(0, 2));
    keep(entries, file, "meta", element(5, 1));
    keep(entries, file, "members", element(9, 0));
    const texts = [...entries.kept].map(([bucket, kept]) => [
      bucket,
      ...kept.map(({ key, value }) =>
        `${key}=${new TextDecoder().decode(value)}`
      ),
    ]);
    assert.deepEqual(texts, [["members", "abc=12", "ghi="], ["meta", "def=3"]]);
  });
});

Deno.test("keep bounds what is kept", async () => {
  await withBlocks(new Uint8Array(2 ** 21), (file) => {
    const entries = noEntries();
    keep(entries, file, "meta", element(0, 2 ** 20 - 3));
    assert.throws(() => keep(entries, file, "cluster", element(0, 0)), {
      message:
        'Snapshot "db" is damaged: page 2: element 4: bucket "cluster" is too large',
    });
  });
});
