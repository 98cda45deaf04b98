import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import {
  type JournalRead,
  readJournal,
} from "../../../../workflows/runbooks/journal/reader.ts";
import { makeJournal, someRecords } from "./_journals.ts";
import { type JournalRecord, loose } from "../_records.ts";

const { bytes, written } = await makeJournal(someRecords);

const starts = [0];
for (const [at, byte] of bytes.entries()) if (byte === 10) starts.push(at + 1);

async function read(
  ...chunks: readonly Uint8Array[]
): Promise<JournalRead & { readonly records: readonly JournalRecord[] }> {
  const records: JournalRecord[] = [];
  const found = await readJournal(
    chunks,
    "j",
    (one) => records.push(loose(one)),
  );
  return { ...found, records };
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function lines(...numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  return join(
    ...numbers.map((one) => bytes.subarray(starts[one - 1], starts[one])),
  );
}

function damage(line: number, reason: string): Partial<ConfigError> {
  return {
    name: "ConfigError",
    message: `Cannot read journal "j": line ${line} is damaged (${reason})`,
  };
}

Deno.test("readJournal gives the records in order, and where it continues", async () => {
  const found = await read(bytes);
  assert.deepEqual(found.records, written);
  assert.equal(found.records.length, 5);
  assert.equal(found.torn, false);
  assert.equal(found.bytes, bytes.length);
  assert.equal(found.end.seq, 5);
  const [, seal] = /"c":"(.*)"}\n$/.exec(new TextDecoder().decode(bytes)) ?? [];
  assert.equal(found.end.checksum, seal);
  assert.equal(found.checksums.length, 5);
  assert.equal(found.checksums.at(-1), seal);
});

Deno.test("readJournal of nothing gives nothing", async () => {
  const end = { seq: 0, checksum: "00000000" };
  const none = { end, checksums: [], bytes: 0, torn: false, records: [] };
  assert.deepEqual(await read(), none);
  assert.deepEqual(await read(new Uint8Array()), none);
});

Deno.test("readJournal gives the same however the file is cut into chunks", async () => {
  const whole = await read(bytes);
  for (let size = 1; size <= 200; size++) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      chunks.push(bytes.subarray(at, at + size));
    }
    assert.deepEqual(await read(...chunks), whole, `chunks of ${size}`);
  }
});

Deno.test("readJournal keeps nothing of a chunk whose memory is used again", async () => {
  const buffer = new Uint8Array(100);
  function* chunks() {
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const part = bytes.subarray(at, at + buffer.length);
      buffer.set(part);
      yield buffer.subarray(0, part.length);
    }
  }
  const records: JournalRecord[] = [];
  await readJournal(chunks(), "j", (one) => records.push(loose(one)));
  assert.deepEqual(records, written);
});

Deno.test("a file cut off at any byte gives the whole lines before", async () => {
  for (let length = 0; length <= bytes.length; length++) {
    const found = await read(bytes.subarray(0, length));
    const whole = starts.findLastIndex((start) => start <= length);
    assert.deepEqual(found.records, written.slice(0, whole), `at ${length}`);
    assert.equal(found.bytes, starts[whole]);
    assert.equal(found.torn, length !== starts[whole]);
  }
});

Deno.test("a change of any byte is damage", async () => {
  const unseen: string[] = [];
  for (let at = 0; at < bytes.length; at++) {
    for (const change of [0x01, 0x20, 0x80, bytes[at]! ^ 0x0a]) { // inside of it
      if (change === 0) continue;
      const other = bytes.slice();
      other[at]! ^= change;
      const found = await read(other).catch((error) => error);
      const line = starts.filter((start) => start <= at).length;
      const expected = `Cannot read journal "j": line ${line} is damaged (`;
      const isFound = found instanceof ConfigError &&
        found.message.startsWith(expected);
      if (!isFound) unseen.push(`${at}^${change}`);
    }
  }
  assert.deepEqual(unseen, []);
});

Deno.test("a last line without its end was truncated, one with another end was changed", async () => {
  const whole = await read(bytes.subarray(0, -1));
  assert.deepEqual([whole.torn, whole.bytes], [true, starts.at(-2)]);
  assert.deepEqual(whole.records, written.slice(0, -1));
  await assert.rejects(
    read(bytes.subarray(0, -1), new Uint8Array([0x0b])),
    damage(5, "it does not end with a newline"),
  );
});

Deno.test("a line twice, in a wrong place or missing is damage", async () => {
  await assert.rejects(
    read(lines(1, 2, 2)),
    damage(3, "expected record 3, found record 2"),
  );
  await assert.rejects(
    read(lines(1, 3, 2)),
    damage(2, "expected record 2, found record 3"),
  );
  await assert.rejects(
    read(lines(2, 3)),
    damage(1, "expected record 1, found record 2"),
  );
});

Deno.test("a line of another journal is damage", async () => {
  const other = await makeJournal([
    { type: "run.start" },
    ...someRecords.slice(1),
  ]);
  const second = new TextDecoder().decode(other.bytes).split("\n")[1];
  await assert.rejects(
    read(lines(1), new TextEncoder().encode(`${second}\n`)),
    damage(2, "it does not follow the previous line"),
  );
});

Deno.test("zeros at the end of the file are truncated", async () => {
  const found = await read(bytes, new Uint8Array(5_000));
  assert.deepEqual([found.torn, found.bytes], [true, bytes.length]);
  assert.deepEqual(found.records, written);
});

Deno.test("damage says what to do", async () => {
  await assert.rejects(read(lines(2)), {
    status: 2,
    hint:
      "Check the nodes by hand; the file lists what the run did up to that line",
  });
});
