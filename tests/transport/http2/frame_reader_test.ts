/** Servers that break the rules; what they say is read by the frame reader and judged by the session. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import {
  encodeFrame,
  flag,
  frameType,
  Http2Error,
  setting,
  settingsFrame,
  uint32,
} from "../../../transport/http2/frame.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import {
  connect,
  never,
  noSettings,
  ok,
  recorder,
  request,
  settle,
} from "./_peer.ts";

const { endHeaders, endStream, padded, ack } = flag;

const headers = (id: number, flags: number = endHeaders) =>
  encodeFrame(frameType.headers, flags, id, ok);
const data = (id: number, bytes: readonly number[], flags = 0) =>
  encodeFrame(frameType.data, flags, id, bytes);

const crimes = [
  ["a frame that is too long", 6, [
    new Uint8Array([0, 64, 1, 0, 0, 0, 0, 0, 1]),
  ]],
  ["data of the connection", 1, [data(0, [1])]],
  ["data of a stream that was not opened", 1, [data(3, [1])]],
  ["data of a stream only a server could open", 1, [data(2, [1])]],
  ["a header of no stream", 1, [headers(0)]],
  ["padding longer than its frame", 1, [data(1, [9, 1], padded)]],
  ["padding a byte longer than its frame", 1, [data(1, [2, 1], padded)]],
  ["a push", 1, [
    encodeFrame(frameType.pushPromise, endHeaders, 1, [0, 0, 0, 2]),
  ]],
  ["a continuation of nothing", 1, [encodeFrame(frameType.continuation, 4, 1)]],
  ["a frame amid a header block", 1, [headers(1, 0), data(1, [1])]],
  ["a continuation for another stream", 1, [
    headers(1, 0),
    encodeFrame(frameType.continuation, 4, 3),
  ]],
  ["settings of a stream", 1, [encodeFrame(frameType.settings, 0, 1)]],
  ["settings of a wrong size", 6, [encodeFrame(frameType.settings, 0, 0, [1])]],
  ["an acknowledgement with content", 6, [
    encodeFrame(frameType.settings, ack, 0, [0, 1, 0, 0, 0, 0]),
  ]],
  ["a window beyond all", 3, [settingsFrame([[4, 2 ** 31]])]],
  ["too small frames", 1, [settingsFrame([[5, 100]])]],
  ["too large frames", 1, [settingsFrame([[5, 2 ** 24]])]],
  ["a ping of a wrong size", 6, [encodeFrame(frameType.ping, 0, 0, [1])]],
  ["a ping of a stream", 1, [
    encodeFrame(frameType.ping, 0, 1, new Uint8Array(8)),
  ]],
  ["a reset of a wrong size", 6, [encodeFrame(frameType.rstStream, 0, 1, [1])]],
  ["a reset of the connection", 1, [
    encodeFrame(frameType.rstStream, 0, 0, uint32(0)),
  ]],
  ["a GOAWAY of a stream", 1, [
    encodeFrame(frameType.goaway, 0, 1, new Uint8Array(8)),
  ]],
  ["a GOAWAY that is cut", 6, [encodeFrame(frameType.goaway, 0, 0, [1])]],
  ["room of no size", 3, [
    encodeFrame(frameType.windowUpdate, 0, 0, uint32(0)),
  ]],
  ["room beyond all", 3, [
    encodeFrame(frameType.windowUpdate, 0, 0, uint32(2 ** 31 - 1)),
  ]],
  ["a header block that is not HPACK", 9, [
    encodeFrame(frameType.headers, 4, 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
  ]],
  ["an unknown index", 9, [encodeFrame(frameType.headers, 4, 1, [0xfe])]],
  ["more data than there is room for", 3, [
    headers(1),
    ...Array(5).fill(data(1, Array(16_384).fill(0))),
  ]],
  ["a header block without end", 11, [
    headers(1, 0),
    ...Array(70).fill(encodeFrame(frameType.continuation, 0, 1)),
  ]],
  [
    "a flood of pings",
    11,
    Array(10_001).fill(encodeFrame(frameType.ping, 0, 0, new Uint8Array(8))),
  ],
  ["a flood of settings", 11, Array(10_001).fill(noSettings)],
  ["a flood of empty data", 11, [
    headers(1),
    ...Array(10_001).fill(data(1, [])),
  ]],
  [
    "a flood of announcements",
    11,
    Array(10_001).fill(
      encodeFrame(frameType.headers, 4, 1, [0x08, 3, 0x31, 0x30, 0x33]),
    ),
  ],
  [
    "a flood of resets",
    11,
    Array(10_002).fill(encodeFrame(frameType.rstStream, 0, 1, uint32(8))),
  ],
  ["a flood of unknown frames", 11, Array(10_001).fill(encodeFrame(99, 0, 0))],
] as const;

for (const [title, code, frames] of crimes) {
  Deno.test(`a connection ends at ${title}`, async () => {
    const { peer, session } = await connect();
    const answer = recorder();
    session.request(request, answer.receiver).end();
    await settle();
    peer.say(...frames);
    await settle();
    await settle();
    assert.equal(peer.closed, true);
    const goodbye = peer.of(frameType.goaway);
    if (goodbye.length > 0) {
      assert.deepEqual([...goodbye[0]!.payload], [
        ...uint32(0),
        ...uint32(code),
      ]);
    }
    const { end } = answer.state;
    if (title === "a flood of resets") return;
    assert.ok(typeof end === "object" && end.kind === "lost", String(end));
    assert.ok(end.cause instanceof Http2Error, String(end.cause));
    assert.equal(end.cause.code, code);
  });
}

const slips = [
  ["data before the header", [data(1, [1])]],
  ["a header without a status", [encodeFrame(frameType.headers, 4, 1, [0x83])]],
  ["an announcement that is the end", [
    encodeFrame(frameType.headers, 5, 1, [0x08, 3, 0x31, 0x30, 0x33]),
  ]],
  ["a second header that is not a trailer", [headers(1), headers(1)]],
  ["a trailer with a status", [headers(1), headers(1, endHeaders | endStream)]],
  ["room of no size", [encodeFrame(frameType.windowUpdate, 0, 1, uint32(0))]],
  ["header fields without measure", [
    encodeFrame(frameType.headers, 0, 1, [
      0x88,
      0x40,
      1,
      97,
      0x7f,
      0x81,
      0x1d,
      ...Array(4_000).fill(98),
    ]),
    encodeFrame(frameType.continuation, endHeaders, 1, Array(9_000).fill(0xbe)),
  ]],
] as const;

for (const [title, frames] of slips) {
  Deno.test(`a stream ends at ${title}`, async () => {
    const { peer, session } = await connect();
    const answer = recorder();
    session.request(request, answer.receiver).end();
    await settle();
    peer.say(...frames);
    await settle();
    const { end } = answer.state;
    assert.ok(
      typeof end === "object" && end.kind === "refused",
      JSON.stringify(end),
    );
    assert.deepEqual([...peer.of(frameType.rstStream)[0]!.payload], uint32(1));
    assert.equal(session.usable, true);
  });
}

/** A field of 4,000 bytes that the table keeps, and its name in it many times. */
const bomb = [
  ...[0x08, 3, 0x31, 0x30, 0x33], // :status: 103
  ...[0x40, 1, 97, 0x7f, 0xa1, 0x1e, ...Array(4_000).fill(98)],
  ...Array(12_000).fill(0xbe),
];

/** Endless output of a server behind the header of stream 1, and the kilobytes that are read before the connection is closed. */
const floods = [
  ["resets", 150, [], encodeFrame(frameType.rstStream, 0, 1, uint32(8))],
  ["settings", 700, [], settingsFrame(Array(10).fill([99, 1]))],
  ["acknowledgements", 150, [], encodeFrame(frameType.settings, ack, 0)],
  ["pings", 200, [], encodeFrame(frameType.ping, 0, 0, new Uint8Array(8))],
  ["room", 150, [], encodeFrame(frameType.windowUpdate, 0, 0, uint32(1))],
  ["room for what has ended", 150, [
    encodeFrame(frameType.headers, endHeaders | endStream, 1, ok),
  ], encodeFrame(frameType.windowUpdate, 0, 1, uint32(2 ** 31 - 1))],
  ["continuations", 300, [
    headers(1, 0),
  ], encodeFrame(frameType.continuation, 0, 1, new Uint8Array(16_384))],
  ["empty continuations", 20, [
    headers(1, 0),
  ], encodeFrame(frameType.continuation, 0, 1)],
  [
    "bombs of header fields",
    100,
    [],
    encodeFrame(frameType.headers, 4, 1, bomb),
  ],
  ["content", 100, [], data(1, Array(16_384).fill(0))],
  ["padding", 3_000, [], data(1, [255, ...Array(255).fill(0)], padded)],
] as const;

for (const [title, kilobytes, once, frame] of floods) {
  Deno.test(`a server that floods with ${title} is left soon, and little is kept of it`, async () => {
    const times = Math.ceil(20_000 / frame.length);
    const chunk = Buffer.concat(Array(times).fill(frame));
    const started = Promise.withResolvers<void>();
    const said = [noSettings, Buffer.concat([headers(1), ...once])];
    let rest: Uint8Array = new Uint8Array();
    let [sent, turn, closed] = [0, 0, false];
    const before = memory();
    let most = 0;
    const session = await Http2Session.open({
      async read(into) {
        if (said.length < 2) await started.promise;
        if (++turn % 16 === 0) await settle();
        if (closed) throw new Error("closed");
        most = Math.max(most, memory() - before);
        if (rest.length === 0) rest = said.shift() ?? chunk;
        const some = rest.subarray(0, into.length);
        rest = rest.subarray(some.length);
        into.set(some);
        sent += some.length;
        return some.length;
      },
      write: (bytes) => Promise.resolve(bytes.length),
      close: () => closed = true,
    }, never);
    const answer = recorder();
    session.request(request, answer.receiver).end();
    started.resolve();
    while (!closed) await settle();
    assert.ok(sent <= kilobytes * 1_000 + chunk.length, `${sent} bytes`);
    assert.ok(most < 64e6, `${most} bytes were kept`);
    assert.notEqual(answer.state.end, undefined);
  });
}

function memory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test("frames made of anything end the connection or nothing, and never more", async () => {
  const frame = fc.record({
    type: fc.integer({ min: 0, max: 10 }),
    flags: fc.integer({ min: 0, max: 255 }),
    stream: fc.integer({ min: 0, max: 3 }),
    payload: fc.uint8Array({ maxLength: 24 }),
  });
  const garbage = fc.array(frame, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(garbage, async (frames) => {
      const { peer, session } = await connect();
      const answer = recorder();
      session.request(request, answer.receiver).end();
      await settle();
      peer.say(
        ...frames.map(({ type, flags, stream, payload }) =>
          encodeFrame(type, flags, stream, payload)
        ),
      );
      peer.end();
      await settle();
      assert.notEqual(answer.state.end, undefined);
      assert.equal(peer.closed, true);
      assert.equal(session.usable, false);
    }),
    { numRuns: 100 },
  );
});

Deno.test("a server that does not read what it is answered is left", async () => {
  const { peer, session } = await connect();
  const answer = recorder();
  session.request(request, answer.receiver).end();
  await settle();
  peer.blocked = new Promise(() => {});
  peer.say(headers(1));
  const ping = [...encodeFrame(frameType.ping, 0, 0, new Uint8Array(8))];
  const pings = Array.from({ length: 1_000 }, () => ping).flat();
  for (let i = 0; i < 100; i++) {
    // Content in between, so that it is not a flood of frames that say nothing.
    peer.say(new Uint8Array(pings), data(1, [1]));
  }
  await settle();
  await settle();
  const { end } = answer.state;
  assert.ok(typeof end === "object" && end.kind === "lost", String(end));
});

Deno.test("a server may ask for a sign of life while it has much of a request to read", async () => {
  const { peer, session } = await connect();
  peer.say(
    settingsFrame([[setting.initialWindowSize, 2 ** 24]]),
    encodeFrame(frameType.windowUpdate, 0, 0, uint32(2 ** 24)),
  );
  await settle();
  peer.blocked = new Promise(() => {});
  session.request(request, recorder().receiver).end();
  await settle(); // on its way, so that the next has to wait
  session.request(request, recorder().receiver).end(new Uint8Array(2 ** 23));
  await settle();
  peer.say(encodeFrame(frameType.ping, 0, 0, new Uint8Array(8)));
  await settle();
  assert.equal(session.usable, true);
  session.destroy(new Error("over"));
});
