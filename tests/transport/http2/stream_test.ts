import assert from "node:assert/strict";
import { firstWindow, Http2Stream } from "../../../transport/http2/stream.ts";

/** A stream that has its header, and what it gave back to the other side. */
function open() {
  const credits: number[] = [];
  const stream = new Http2Stream(
    {
      changed() {},
      credited: (_stream, increment) => void credits.push(increment),
      cancelled() {},
      room: () => Promise.resolve(),
    },
    [],
    { headers() {}, data() {}, ended() {}, failed() {} },
  );
  stream.takeHeaders([[":status", "200"]], false);
  return { stream, credits };
}

Deno.test("the window of a stream grows while its reader keeps pace, up to a bound", () => {
  const { stream, credits } = open();
  for (let i = 0; i < 2_000; i++) {
    stream.receiveWindow -= 16_384;
    stream.takeData(new Uint8Array(16_384));
    stream.consumed(16_384);
  }
  assert.equal(credits[0], firstWindow / 4 + firstWindow);
  // Less than a quarter of the window is outstanding.
  assert.ok(stream.receiveWindow > 1.5 * 1024 * 1024);
  assert.ok(stream.receiveWindow <= 2 * 1024 * 1024);
});

Deno.test("the window of a stream stays as it is for a reader that is slower", () => {
  const { stream, credits } = open();
  stream.receiveWindow = 0;
  stream.takeData(new Uint8Array(firstWindow));
  stream.consumed(firstWindow / 4);
  assert.deepEqual(credits, [firstWindow / 4]);
  stream.consumed(10);
  assert.equal(credits.length, 1); // not for every byte
});

Deno.test("write waits until its content is on the way, and no longer than its stream lives", async () => {
  const { stream } = open();
  let done = false;
  const written = stream.write(new Uint8Array(3)).then(() => done = true);
  await Promise.resolve();
  assert.equal(done, false);
  stream.closed = true;
  stream.wake();
  await written;
  await stream.write(new Uint8Array(3));
  assert.equal(stream.outgoing.length, 1);
});
