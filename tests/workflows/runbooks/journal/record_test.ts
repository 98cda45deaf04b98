import assert from "node:assert/strict";
import {
  decodeRecord,
  encodeRecord,
  noChecksum,
} from "../../../../workflows/runbooks/journal/record.ts";
import { type JournalRecord, wholeRead } from "../_records.ts";

const record: JournalRecord = {
  seq: 7,
  ts: "2026-11-20T19:31:07.412Z",
  type: "intent",
  path: "controlplane/restart",
  node: "cp-2",
  entry: 1,
  attempt: 2,
  data: { key: { boot: "é" }, input: null },
  previous: "0000002a",
};

// Computed with another program over everything before `,"c"`, in UTF-8.
const checksum = "8d5f4160";

const line =
  `{"seq":7,"ts":"2026-11-20T19:31:07.412Z","type":"intent","path":"controlplane/restart","node":"cp-2","entry":1,"attempt":2,"data":{"key":{"boot":"é"},"input":null},"previous":"0000002a","c":"${checksum}"}`;

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

Deno.test("encodeRecord puts number and time first, checksums last", () => {
  assert.deepEqual(encodeRecord(wholeRead(record)), { line, checksum });
});

Deno.test("encodeRecord writes every record on one line", () => {
  const d = { text: "a\nb\r\u2028", lone: "\ud800" };
  const encoded = encodeRecord(wholeRead({
    seq: 1,
    ts: "",
    type: "set",
    data: d,
    previous: "",
  }));
  assert.equal(encoded.line.includes("\n"), false);
  assert.deepEqual(decodeRecord(encodeText(encoded.line))?.record.data, d);
});

Deno.test("decodeRecord gives what was encoded", () => {
  assert.deepEqual(decodeRecord(encodeText(line)), { record, checksum });
});

Deno.test("decodeRecord reads version 1 of the format", () => {
  const first =
    `{"v":1,"seq":7,"ts":"2026-11-20T19:31:07.412Z","t":"intent","p":"controlplane/restart","n":"cp-2","e":1,"a":2,"d":{"key":{"boot":"é"},"input":null},"h":"0000002a","c":"26e00a52"}`;
  assert.deepEqual(decodeRecord(encodeText(first)), {
    record,
    checksum: "26e00a52",
  });
});

Deno.test("decodeRecord finds a change of any byte to any other", () => {
  const bytes = encodeText(line);
  const unseen: string[] = [];
  for (let at = 0; at < bytes.length; at++) {
    for (let change = 1; change < 256; change++) {
      const other = bytes.slice();
      other[at] = other[at]! ^ change; // inside of it
      if (decodeRecord(other) !== undefined) unseen.push(`${at}^${change}`);
    }
  }
  assert.deepEqual(unseen, []);
});

Deno.test("decodeRecord refuses every beginning of a line", () => {
  const bytes = encodeText(line);
  const taken: number[] = [];
  for (let length = 0; length < bytes.length; length++) {
    if (decodeRecord(bytes.subarray(0, length))) taken.push(length);
  }
  assert.deepEqual(taken, []);
});

Deno.test("the checksum before the first line is all zeros", () => {
  assert.equal(noChecksum, "00000000");
});
