import assert from "node:assert/strict";
import {
  encodeFrame,
  frameType,
  settingsFrame,
  uint32,
} from "../../../transport/http2/frame.ts";

Deno.test("encodeFrame writes length, kind, flags, stream and payload", () => {
  assert.deepEqual(
    [...encodeFrame(frameType.data, 1, 0x01020304, [7, 8])],
    [0, 0, 2, 0, 1, 1, 2, 3, 4, 7, 8],
  );
  const long = encodeFrame(frameType.goaway, 0, 0, new Uint8Array(0x010203));
  assert.deepEqual([...long.subarray(0, 4)], [1, 2, 3, 7]);
});

Deno.test("settingsFrame writes number and value of each", () => {
  assert.deepEqual([...settingsFrame([[4, 0xfffefdfc]]).subarray(9)], [
    ...[0, 4],
    ...uint32(0xfffefdfc),
  ]);
  assert.deepEqual(uint32(0xfffefdfc), [255, 254, 253, 252]);
});
