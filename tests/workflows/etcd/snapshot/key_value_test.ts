import assert from "node:assert/strict";
import {
  keyWithin,
  revisionAt,
} from "../../../../workflows/etcd/snapshot/key_value.ts";
import { type Bytes, bytes, withBlocks } from "./_bolt.ts";
import { revision, written } from "./_snapshot.ts";

async function parsed(text: Bytes) {
  return await withBlocks(
    bytes(`--${text}--`),
    (file) => revisionAt(file, { at: 2, end: 2 + text.length }),
  );
}

/** The key of a message, as text. */
async function keyOf(text: Bytes) {
  return await withBlocks(bytes(`--${text}\x0a`), (file) => {
    const key = keyWithin(file, { at: 2, end: 2 + text.length });
    return key &&
      new TextDecoder().decode(file.bytes(key.at, key.end - key.at));
  });
}

Deno.test("revisionAt reads revisions and deletions", async () => {
  assert.deepEqual(await parsed(revision(2)), { main: 2, deleted: false });
  assert.deepEqual(await parsed(revision(0x0102030405, true)), {
    main: 0x0102030405,
    deleted: true,
  });
});

Deno.test("revisionAt refuses anything else", async () => {
  assert.equal(await parsed(""), undefined);
  assert.equal(await parsed(revision(2).slice(1)), undefined);
  assert.equal(await parsed(`${revision(2)}x`), undefined);
  assert.equal(await parsed(`${revision(2)}tt`), undefined);
  assert.equal(await parsed(revision(2).replace("_", "-")), undefined);
});

Deno.test("keyWithin finds the key of a message", async () => {
  assert.equal(await keyOf(written("some/key", "value")), "some/key");
  assert.equal(await keyOf(written("gone")), "gone");
  // Field 6 is the lease, a negative number of ten bytes.
  const lease = `\x30${"\xff".repeat(9)}\x01`;
  assert.equal(await keyOf(written("a", "b") + lease), "a");
  // Fields that are not known yet: a number of eight bytes, one of four.
  assert.equal(await keyOf(`\x39${"\x0a".repeat(8)}\x45abcd\x0a\x01a`), "a");
});

Deno.test("keyWithin refuses what is no message with a key", async () => {
  const wrong = {
    empty: "",
    "no key": "\x10\x02",
    "key longer than the message": "\x0a\x04abc",
    "no length": "\x0a",
    "length without end": `\x0a${"\x80".repeat(12)}`,
    "field 0": "\x02\x01a\x0a\x01a",
    "number of eleven bytes": `\x0a\x01a\x10${"\x80".repeat(10)}\x01`,
    "group": "\x0b\x0a\x01a",
    "number without end": "\x0a\x01a\x10\x80",
    "short fixed number": "\x0a\x01a\x39abc",
    "length of 2^63": `\x0a${"\x80".repeat(9)}\x01`,
  };
  for (const [name, text] of Object.entries(wrong)) {
    assert.equal(await keyOf(text), undefined, name);
  }
});
