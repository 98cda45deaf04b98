import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import {
  emptyCapture,
  packetReader,
  wholePackets,
} from "../../../commands/_pcap/pcap_file.ts";

function record(seconds: number, text: string): Uint8Array<ArrayBuffer> {
  const data = new TextEncoder().encode(text);
  const bytes = new Uint8Array(16 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, seconds, true);
  view.setUint32(4, 250, true);
  view.setUint32(8, data.length, true);
  view.setUint32(12, 99, true);
  bytes.set(data, 16);
  return bytes;
}

const header = emptyCapture("ethernet");
const whole = new Blob([header, record(1, "one"), record(2, "second")]);

/** All of a capture in chunks of so many bytes. */
async function* cut(size: number, end = whole.size) {
  const bytes = new Uint8Array(await whole.arrayBuffer()).subarray(0, end);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

Deno.test("packets are the same however a capture is cut", async () => {
  for (const size of [1, 7, 24, 43, 1000]) {
    const read = packetReader();
    const seen: unknown[] = [];
    let count = 0;
    for await (const part of wholePackets(cut(size))) {
      count += part.packets;
      const { linkType, packets } = read(part);
      for (const { timeUs, bytes, length } of packets) {
        seen.push([linkType, timeUs, new TextDecoder().decode(bytes), length]);
      }
    }
    assert.deepEqual(seen, [
      ["ethernet", 1_000_250, "one", 99],
      ["ethernet", 2_000_250, "second", 99],
    ]);
    assert.equal(count, 2);
  }
});

Deno.test("pcap file: refuses other files, and packets that are too large for any link", async () => {
  const drain = (bytes: Uint8Array) =>
    Array.fromAsync(wholePackets((async function* () {
      await Promise.resolve();
      yield bytes;
    })()));
  const other = header.slice();
  other[20] = 105;
  const huge = new Uint8Array(await new Blob([header, record(1, "x")]).bytes());
  new DataView(huge.buffer).setUint32(24 + 8, 300_000, true);
  for (
    const [bytes, message] of [
      [new Uint8Array(24), "The node did not send a packet capture"],
      [other, "Packets of link type 105 are not supported"],
      [huge, "The capture has a packet of 300000 bytes"],
    ] as const
  ) await assert.rejects(drain(bytes), new OsctlError(message));
  const full = record(1, "x".repeat(262_144));
  const largest = new Uint8Array(await new Blob([header, full]).bytes());
  assert.deepEqual((await drain(largest)).map(({ packets }) => packets), [1]);
  const empty = new Uint8Array(await new Blob([header, record(1, "")]).bytes());
  assert.deepEqual((await drain(empty)).map(({ packets }) => packets), [1]);
});
