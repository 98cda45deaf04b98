import assert from "node:assert/strict";
import {
  encodeFrame,
  flag,
  frameType,
  Http2Error,
  setting,
  settingsFrame,
  uint32,
} from "../../../transport/http2/frame.ts";
import {
  ConnectionEnd,
  Http2Session,
} from "../../../transport/http2/session.ts";
import {
  connect,
  never,
  noSettings,
  ok,
  Peer,
  recorder,
  request,
  settle,
} from "./_peer.ts";

const { endHeaders, endStream, padded, ack } = flag;

const headers = (id: number, flags: number = endHeaders) =>
  encodeFrame(frameType.headers, flags, id, ok);
const data = (id: number, bytes: readonly number[], flags = 0) =>
  encodeFrame(frameType.data, flags, id, bytes);

Deno.test("open sends preface, settings and a window in one write", async () => {
  const { peer } = await connect();
  const [settings, window, answer, ...others] = peer.frames();
  assert.equal(settings?.type, frameType.settings);
  assert.deepEqual([...settings?.payload ?? []], [
    ...[0, 2, 0, 0, 0, 0], // no pushes
    ...[0, 4, 0, 1, 0, 0], // 64 KiB for each stream
    ...[0, 6, 0, 4, 0, 0], // 256 KiB of header fields
  ]);
  assert.equal(window?.type, frameType.windowUpdate);
  assert.deepEqual([...window?.payload ?? []], [0x7f, 0xff, 0, 0]);
  assert.deepEqual([answer?.type, answer?.flags], [frameType.settings, ack]);
  assert.deepEqual(others, []);
  assert.ok(peer.writes <= 2, `${peer.writes} writes`);
});

Deno.test("open raises what the server did instead of sending settings", async () => {
  const silent = new Peer();
  silent.end();
  await assert.rejects(Http2Session.open(silent.bytes, never), ConnectionEnd);
  const web = new Peer();
  web.say(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await assert.rejects(Http2Session.open(web.bytes, never), Http2Error);
  assert.equal(web.closed, true);
});

Deno.test("open ends with the reason of its signal", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const opening = Http2Session.open(new Peer().bytes, controller.signal);
  controller.abort(reason);
  await assert.rejects(opening, reason);
});

Deno.test("requests made together go out in one write", async () => {
  const { peer, session } = await connect();
  const before = peer.writes;
  for (let i = 0; i < 50; i++) {
    session.request(request, recorder().receiver).end(new Uint8Array([i]));
    await undefined;
  }
  await settle();
  assert.equal(peer.writes, before + 1);
  assert.deepEqual(
    peer.of(frameType.headers).map(({ stream }) => stream),
    Array.from({ length: 50 }, (_, i) => 2 * i + 1),
  );
});

Deno.test("an answer with announcement, padding, continuation and trailers is taken", async () => {
  const { peer, session } = await connect();
  const answer = recorder();
  session.request(request, answer.receiver).end();
  await settle();
  const early = [0x08, 3, 0x31, 0x30, 0x33]; // :status: 103, a literal
  peer.say(
    encodeFrame(frameType.headers, endHeaders, 1, early),
    encodeFrame(frameType.headers, padded, 1, [2, 0x88, 0, 0]),
    encodeFrame(frameType.continuation, endHeaders, 1, [0x40, 1, 97, 1, 98]),
    encodeFrame(frameType.data, padded, 1, [3, 7, 8, 0, 0, 0]),
    encodeFrame(200, 255, 1, [1]), // an unknown kind of frame
    encodeFrame(frameType.headers, endHeaders | endStream, 1, [0xbe]),
  );
  await settle();
  assert.deepEqual(answer.fields, [[[":status", "200"], ["a", "b"]], [[
    "a",
    "b",
  ]]]);
  assert.deepEqual(answer.data, [7, 8]);
  assert.equal(answer.state.end, "ended");
});

Deno.test("a request waits for the windows of connection and stream, whatever the settings become", async () => {
  const small = settingsFrame([[setting.initialWindowSize, 10]]);
  const { peer, session } = await connect(small);
  const stream = session.request(request, recorder().receiver);
  let written = false;
  stream.write(new Uint8Array(30)).then(() => written = true);
  const sizes = () =>
    peer.of(frameType.data).map(({ payload }) => payload.length);
  await settle();
  assert.deepEqual(sizes(), [10]);
  peer.say(settingsFrame([[setting.initialWindowSize, 4]])); // now 6 too many
  peer.say(encodeFrame(frameType.windowUpdate, 0, 1, uint32(8)));
  await settle();
  assert.deepEqual(sizes(), [10, 2]);
  assert.equal(written, false);
  peer.say(settingsFrame([[setting.initialWindowSize, 100]]));
  await settle();
  assert.deepEqual(sizes(), [10, 2, 18]);
  assert.equal(written, true);
  stream.end();
  await settle();
  assert.equal(peer.of(frameType.data).at(-1)?.flags, endStream);
});

Deno.test("streams beyond what the server allows wait, and cancelled ones never begin", async () => {
  const one = settingsFrame([[setting.maxConcurrentStreams, 1]]);
  const { peer, session } = await connect(one);
  const [first, second, third] = [recorder(), recorder(), recorder()];
  session.request(request, first.receiver).end();
  const waiting = session.request(request, second.receiver);
  session.request(request, third.receiver).end();
  waiting.cancel(8);
  await settle();
  assert.equal(peer.of(frameType.headers).length, 1);
  peer.say(headers(1, endHeaders | endStream));
  await settle();
  assert.equal(peer.of(frameType.headers).length, 2);
  assert.equal(first.state.end, "ended");
  assert.equal(second.state.end, undefined);
  session.destroy(new Error("over"));
});

Deno.test("GOAWAY lets streams it names end, and gives the others back", async () => {
  const { peer, session } = await connect();
  const answers = [recorder(), recorder()];
  for (const { receiver } of answers) session.request(request, receiver).end();
  await settle();
  peer.say(encodeFrame(frameType.goaway, 0, 0, [...uint32(1), ...uint32(0)]));
  await settle();
  assert.equal(session.usable, false);
  assert.deepEqual(answers[1]?.state.end, { kind: "not-sent" });
  const late = recorder();
  session.request(request, late.receiver);
  assert.deepEqual(late.state.end, { kind: "not-sent" });
  assert.equal(peer.closed, false);
  peer.say(headers(1), data(1, [5], endStream));
  await settle();
  assert.deepEqual(answers[0]?.data, [5]);
  assert.equal(answers[0]?.state.end, "ended");
  assert.equal(peer.closed, true); // nothing is left to wait for
});

Deno.test("a stream that the server refuses was not sent, one that it resets may have been", async () => {
  const { peer, session } = await connect();
  const answers = [recorder(), recorder()];
  for (const { receiver } of answers) session.request(request, receiver).end();
  await settle();
  peer.say(
    encodeFrame(frameType.rstStream, 0, 1, uint32(7)),
    encodeFrame(frameType.rstStream, 0, 3, uint32(2)),
  );
  await settle();
  assert.deepEqual(answers.map(({ state }) => state.end), [
    { kind: "not-sent" },
    { kind: "reset", code: 2 },
  ]);
});

Deno.test("streams end with their connection, which keeps what the server said", async () => {
  const { peer, session } = await connect();
  const answer = recorder();
  session.request(request, answer.receiver).end();
  await settle();
  const calm = [...uint32(1), ...uint32(11), ...new TextEncoder().encode("no")];
  peer.say(encodeFrame(frameType.goaway, 0, 0, calm));
  peer.end();
  await settle();
  const { end } = answer.state;
  assert.ok(typeof end === "object" && end.kind === "lost");
  assert.equal((end.cause as Error).message, "HTTP/2 error 11 no");
});

Deno.test("ping is answered by an acknowledgement of settings", async () => {
  const { peer, session } = await connect();
  let answers = 0;
  peer.say(encodeFrame(frameType.settings, ack, 0));
  session.ping(() => answers++);
  await settle();
  assert.equal(answers, 0);
  assert.equal(peer.of(frameType.settings).length, 3);
  peer.say(encodeFrame(frameType.settings, ack, 0));
  await settle();
  assert.equal(answers, 1);
  peer.say(encodeFrame(frameType.ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]));
  await settle();
  const [pong] = peer.of(frameType.ping);
  assert.deepEqual([pong?.flags, [...pong?.payload ?? []]], [
    ack,
    [1, 2, 3, 4, 5, 6, 7, 8],
  ]);
});

Deno.test("cancelled streams leave nothing behind, in whatever number", async () => {
  const { peer, session } = await connect();
  for (let i = 0; i < 10_000; i++) {
    session.request(request, recorder().receiver).cancel(8);
  }
  const last = recorder();
  session.request(request, last.receiver).end();
  await settle();
  // Calls in progress for closed connections are not an error of the server.
  peer.say(
    headers(1),
    data(1, [1], endStream),
    headers(20_001),
    data(20_001, [7], endStream),
  );
  await settle();
  assert.equal(peer.of(frameType.rstStream).length, 10_000);
  assert.deepEqual(last.data, [7]);
  assert.equal(last.state.end, "ended");
  assert.equal(session.usable, true);
});

Deno.test("a connection makes room for what has come once, however much that is", async () => {
  const { peer, session } = await connect();
  const { receiver } = recorder();
  const stream = session.request(request, {
    ...receiver,
    data: (bytes) => stream.consumed(bytes.length),
  });
  stream.end();
  peer.say(headers(1));
  const part = encodeFrame(frameType.data, 0, 1, new Uint8Array(16_384));
  // Half of the connection's window, and two frames more.
  const count = 2 ** 30 / 16_384 + 2;
  for (let sent = 0; sent < count; sent += 4096) {
    peer.say(
      ...Array.from({ length: Math.min(4096, count - sent) }, () => part),
    );
    await settle();
  }
  const [opening, ...rooms] = peer.of(frameType.windowUpdate)
    .filter((frame) => frame.stream === 0)
    .map(({ payload }) => [...payload]);
  assert.deepEqual(opening, [0x7f, 0xff, 0, 0]);
  assert.deepEqual(rooms, [[0x40, 0, 0, 0]]);
  session.destroy(undefined);
});

const whole = [
  noSettings,
  headers(1),
  data(1, [1, 2, 3]),
  encodeFrame(frameType.ping, 0, 0, new Uint8Array(8)),
  encodeFrame(frameType.headers, endHeaders | endStream, 1, [
    0x40,
    1,
    97,
    1,
    98,
  ]),
].flatMap((frame) => [...frame]);

Deno.test("an answer is complete only with its last byte, wherever it is cut", async () => {
  for (let cut = 1; cut <= whole.length; cut++) {
    const peer = new Peer();
    const opening = Http2Session.open(peer.bytes, never);
    peer.say(noSettings);
    const session = await opening;
    const answer = recorder();
    session.request(request, answer.receiver).end();
    peer.say(new Uint8Array(whole.slice(0, cut)));
    peer.say(new Uint8Array(whole.slice(cut, cut)));
    peer.end();
    for (let i = 0; i < 200 && answer.state.end === undefined; i++) {
      await undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    const { end } = answer.state;
    if (cut === whole.length) assert.equal(end, "ended");
    else assert.ok(typeof end === "object" && end.kind === "lost");
  }
});
