import assert from "node:assert/strict";
import {
  keyWithin,
  LiveKeys,
  revisionIn,
} from "../../../../workflows/etcd/snapshot/key_value.ts";
import { type Bytes, bytes } from "./_bolt.ts";
import { revision, toText } from "./_snapshot.ts";

/** The key of a message, as text. */
function findKey(text: Bytes): string | undefined {
  const around = bytes(`--${text}\x0a`);
  const key = keyWithin(around.subarray(2, 2 + text.length));
  return key && new TextDecoder().decode(key);
}

function parse(text: Bytes) {
  return revisionIn(bytes(`--${text}--`).subarray(2, 2 + text.length));
}

Deno.test("revisionIn reads revisions and deletions", () => {
  assert.deepEqual(parse(revision(2)), { main: 2, deleted: false });
  assert.deepEqual(parse(revision(0x0102030405, true)), {
    main: 0x0102030405,
    deleted: true,
  });
});

Deno.test("revisionIn refuses anything else", () => {
  assert.equal(parse(""), undefined);
  assert.equal(parse(revision(2).slice(1)), undefined);
  assert.equal(parse(`${revision(2)}x`), undefined);
  assert.equal(parse(`${revision(2)}tt`), undefined);
  assert.equal(parse(revision(2).replace("_", "-")), undefined);
});

Deno.test("keyWithin finds the key of a message", () => {
  assert.equal(findKey(toText("some/key", "value")), "some/key");
  assert.equal(findKey(toText("gone")), "gone");
  // Field 6 is the lease, a negative number of ten bytes.
  const lease = `\x30${"\xff".repeat(9)}\x01`;
  assert.equal(findKey(toText("a", "b") + lease), "a");
  // Fields that are not known yet: a number of eight bytes, one of four.
  assert.equal(findKey(`\x39${"\x0a".repeat(8)}\x45abcd\x0a\x01a`), "a");
});

Deno.test("keyWithin refuses what is not a message with a key", () => {
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
    assert.equal(findKey(text), undefined, name);
  }
});

/** Counts after each change: `+a` writes the key a, `-a` deletes it. */
function counts(keys: LiveKeys, ...changes: readonly string[]) {
  return changes.map((change) => {
    keys.change(bytes(change).subarray(1), change.startsWith("-"));
    return keys.count;
  });
}

Deno.test("LiveKeys counts keys that exist", () => {
  assert.deepEqual(
    counts(
      new LiveKeys(),
      "+a",
      "+bcdefgh",
      "+a",
      "-a",
      "-a",
      "-x",
      "+bcdefg",
      "+a",
    ),
    [1, 2, 2, 1, 1, 1, 2, 3],
  );
});

/** A key of four bytes, another for each number. */
function fourBytes(i: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(i).buffer);
}

Deno.test("LiveKeys keeps count of many keys", () => {
  const many = 20_000;
  const keys = new LiveKeys();
  for (let i = 0; i < many; i++) keys.change(fourBytes(i), false);
  assert.equal(keys.count, many);
  for (let i = 0; i < many; i += 2) keys.change(fourBytes(i), true);
  for (let i = 0; i < many; i += 4) keys.change(fourBytes(i), false);
  assert.equal(keys.count, 15_000);
});

Deno.test("LiveKeys gives up where memory would not be bounded", () => {
  assert.deepEqual(
    counts(new LiveKeys(2), "+a", "+b", "-a", "+c", "+d", "-c"),
    [1, 2, 1, 2, null, null],
  );
});
