import assert from "node:assert/strict";
import fc from "fast-check";
import { frame, frameReader } from "../../../transport/call/frames.ts";

Deno.test("frame puts flag and length in front", () => {
  assert.deepEqual(
    frame(new Uint8Array([9, 8])),
    new Uint8Array([0, 0, 0, 0, 2, 9, 8]),
  );
  const long = frame(new Uint8Array(0x01020304));
  assert.deepEqual([...long.subarray(0, 5)], [0, 1, 2, 3, 4]);
});

Deno.test("frameReader gives back what was framed, however it is cut", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
  const cuts = fc.array(fc.integer({ min: 0, max: 12 }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(fc.property(messages, cuts, (messages, cuts) => {
    let bytes = new Uint8Array(messages.flatMap((one) => [...frame(one)]));
    const reader = frameReader(40);
    const seen: Uint8Array[] = [];
    for (const cut of cuts) {
      seen.push(...reader.read(bytes.subarray(0, cut)));
      bytes = bytes.subarray(cut);
    }
    seen.push(...reader.read(bytes));
    reader.end();
    assert.deepEqual(
      seen.map((one) => [...one]),
      messages.map((one) => [...one]),
    );
  }));
});

Deno.test("frameReader does not wait for more than the message", () => {
  const reader = frameReader(10);
  assert.deepEqual(reader.read(new Uint8Array([0, 0, 0, 0, 0])).length, 1);
  assert.deepEqual(reader.read(new Uint8Array([0, 0, 0, 0, 1])), []);
  assert.deepEqual(reader.read(new Uint8Array([7])), [new Uint8Array([7])]);
});

Deno.test("frameReader takes a message as long as is allowed", () => {
  const longest = new Uint8Array(10).fill(7);
  assert.deepEqual(frameReader(10).read(frame(longest)), [longest]);
});

const lies = [
  {
    title: "a message longer than allowed",
    bytes: [0, 0, 0, 0, 11],
    code: "RESOURCE_EXHAUSTED",
    message: "The response has a message of 11 bytes, and 10 are allowed",
  },
  {
    title: "a length of 4 GB",
    bytes: [0, 255, 255, 255, 255],
    code: "RESOURCE_EXHAUSTED",
    message:
      "The response has a message of 4294967295 bytes, and 10 are allowed",
  },
  {
    title: "a compressed message",
    bytes: [1, 0, 0, 0, 1],
    code: "UNIMPLEMENTED",
    message: "The response is compressed",
  },
  {
    title: "something else",
    bytes: [60, 104, 116, 109, 108],
    code: "DATA_LOSS",
    message: "The response is not a gRPC message",
  },
] as const;

for (const { title, bytes, code, message } of lies) {
  Deno.test(`frameReader refuses ${title}`, () => {
    assert.throws(
      () => frameReader(10).read(new Uint8Array(bytes)),
      { name: "RpcError", code, message },
    );
  });
}

for (const bytes of [[0], [0, 0, 0, 0, 2, 1]]) {
  Deno.test(`frameReader refuses an end after ${bytes.length} bytes`, () => {
    const reader = frameReader(10);
    reader.read(new Uint8Array(bytes));
    assert.throws(() => reader.end(), {
      message: "The response ends in the middle of a message",
    });
  });
}
