import assert from "node:assert/strict";
import { flag, frameType, preface } from "../../../transport/http2/frame.ts";
import { HeaderDecoder } from "../../../transport/http2/header_decoder.ts";
import { Output } from "../../../transport/http2/output.ts";
import {
  FrameSender,
  type SendingStream,
} from "../../../transport/http2/sender.ts";
import { Peer, settle } from "./_peer.ts";

function sending() {
  const peer = new Peer();
  const sender = new FrameSender(
    peer.bytes,
    (error) => assert.fail(String(error)),
  );
  sender.start(preface, []);
  return { peer, sender };
}

/** A stream without a waiting reader. */
function stream(id: number): SendingStream {
  return {
    id,
    outgoing: [],
    finished: false,
    sentEnd: false,
    sendWindow: 0,
    wake() {},
  };
}

Deno.test("headers that are too large for a frame continue in others, and only the first says the end", async () => {
  const { peer, sender } = sending();
  const field = ["x", "y".repeat(40_000)] as const;
  sender.headers(5, [field], true);
  await settle();
  const [, first, ...others] = peer.frames();
  assert.deepEqual([first?.type, first?.flags, first?.stream], [
    frameType.headers,
    flag.endStream,
    5,
  ]);
  assert.deepEqual(others.map(({ type, flags }) => [type, flags]), [
    [frameType.continuation, 0],
    [frameType.continuation, flag.endHeaders],
  ]);
  const block = [first!, ...others].flatMap(({ payload }) => [...payload]);
  const decoder = new HeaderDecoder({ tableSize: 0, listSize: 100_000 });
  assert.deepEqual(decoder.decode(new Uint8Array(block)), [[...field]]);
});

Deno.test("streams share the window of their connection, and continue when it is widened", async () => {
  const { peer, sender } = sending();
  const streams = [stream(1), stream(3)];
  for (const one of streams) {
    sender.admit(one);
    one.outgoing.push(new Uint8Array(40_000));
    sender.send(one);
  }
  const sent = () =>
    peer.of(frameType.data).reduce(
      (sum, { payload: { length } }) => sum + length,
      0,
    );
  await settle();
  assert.equal(sent(), 65_535);
  assert.equal(streams[0]?.outgoing.length, 0);
  sender.widen(10_000, streams);
  await settle();
  assert.equal(sent(), 75_535);
});

Deno.test("FrameSender: frames pushed during a write go out in the next, in order", async () => {
  const writes: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const output = new Output({
    stream: {
      write: async (bytes) => {
        writes.push([...bytes]);
        await gate.promise;
        return 1; // less than was given
      },
    },
    failed: (error) => assert.fail(String(error)),
  });
  output.push(new Uint8Array([1, 2]));
  await settle();
  output.push(new Uint8Array([3]));
  output.push(new Uint8Array([4]));
  assert.deepEqual(writes, [[1, 2]]);
  gate.resolve();
  await settle();
  assert.deepEqual(writes, [[1, 2], [2], [3, 4], [4]]);
  assert.equal(output.size, 0);
});
