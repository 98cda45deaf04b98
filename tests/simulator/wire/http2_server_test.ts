/** The server of simulated nodes against a client of another make, and against clients that break the rules. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import {
  type ServedStream,
  serveHttp2,
} from "../../../simulator/wire/http2_server.ts";
import {
  frameOf,
  frameType,
  preface,
  settingsFrame,
  uint32,
} from "../../../transport/http2/frame.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import { never } from "../../transport/http2/_peer.ts";

/** Serves one connection; gives a plain one to it. */
function served(
  serve: (stream: ServedStream) => Promise<void>,
): { readonly port: number; readonly ended: Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ended = listener.accept().then((connection) => {
    listener.close();
    let closed = false;
    return serveHttp2({
      read: (into) => connection.read(into),
      write: (bytes) => connection.write(bytes),
      close() {
        if (!closed) connection.close();
        closed = true;
      },
    }, serve);
  });
  return { port: listener.addr.port, ended };
}

async function echo(stream: ServedStream): Promise<void> {
  await stream.respond([[":status", "200"]], false);
  for await (const bytes of stream.content()) await stream.write(bytes);
  await stream.respond([["grpc-status", "0"]], true);
}

Deno.test("content and trailers go both ways, whatever the windows of another client are", async () => {
  const { port, ended } = served(echo);
  const session = http2.connect(`http://127.0.0.1:${port}`, {
    settings: { initialWindowSize: 10_000 },
  });
  const stream = session.request({ ":method": "POST" });
  const seen: Uint8Array[] = [];
  let trailers: http2.IncomingHttpHeaders = {};
  stream.on("data", (bytes: Uint8Array) => {
    seen.push(bytes);
    // Less than is under way by now, and then more.
    if (seen.length === 2) session.settings({ initialWindowSize: 1 });
    if (seen.length === 4) session.settings({ initialWindowSize: 1_000_000 });
  });
  stream.on("trailers", (all) => trailers = all);
  const sent = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
  stream.end(sent);
  await new Promise((resolve) => stream.once("close", resolve));
  assert.deepEqual(new Uint8Array(Buffer.concat(seen)), sent);
  assert.equal(trailers["grpc-status"], "0");
  session.destroy();
  await ended;
});

Deno.test("a thousand fields of a request come as they were sent, and as many go back", async () => {
  const { port, ended } = served(async (stream) => {
    const { fields } = stream;
    const own = fields.filter(([name]) => name === "nodes");
    await stream.respond([[":status", "200"], ...own], true);
  });
  const session = await Http2Session.open(
    await Deno.connect({ hostname: "127.0.0.1", port }),
    never,
  );
  const nodes = Array.from(
    { length: 1_000 },
    (_, i) => ["nodes", `10.5.${i >> 8}.${i & 255} of a cluster`] as const,
  );
  const seen = await new Promise<readonly (readonly string[])[]>((resolve) =>
    session.request([[":method", "POST"], ...nodes], {
      headers: resolve,
      data() {},
      ended() {},
      failed() {},
    }).end()
  );
  assert.deepEqual(seen, [[":status", "200"], ...nodes]);
  session.destroy(new Error("over"));
  await ended;
});

Deno.test("a stream the client ends or leaves behind is reported, and its answer goes nowhere", async () => {
  const reported: string[] = [];
  const { port, ended } = served(async (stream) => {
    await stream.respond([[":status", "200"]], false);
    for await (const _ of stream.content()) reported.push("content");
    assert.equal(stream.signal.aborted, true);
    await stream.write(new Uint8Array(3));
    await stream.respond([["grpc-status", "0"]], true);
    reported.push("left");
  });
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const first = session.request({ ":method": "POST" });
  await new Promise((resolve) => first.once("response", resolve));
  first.close(http2.constants.NGHTTP2_CANCEL);
  const second = session.request({ ":method": "POST" });
  second.on("error", () => {});
  await new Promise((resolve) => second.once("response", resolve));
  assert.deepEqual(reported, ["left"]);
  session.destroy();
  await ended;
  assert.deepEqual(reported, ["left", "left"]);
});

const opening = [...preface, ...settingsFrame([])];
const wrong = [
  ["no HTTP/2", [...new TextEncoder().encode("GET / HTTP/1.1\r\n".repeat(3))]],
  ["no settings", [...preface, ...frameOf(frameType.ping, 0, 0, Array(8))]],
  ["an even stream", [...opening, ...frameOf(frameType.headers, 5, 2, [0x83])]],
  ["content of no stream", [...opening, ...frameOf(frameType.data, 0, 1, [1])]],
  ["more than the window", [
    ...opening,
    ...frameOf(frameType.headers, 4, 1, [0x83]),
    ...Array.from(
      { length: 65 },
      () => [...frameOf(frameType.data, 0, 1, new Uint8Array(16_384))],
    ).flat(),
  ]],
  ["room beyond all", [
    ...opening,
    ...frameOf(frameType.windowUpdate, 0, 0, uint32(2 ** 31 - 1)),
  ]],
] as const;

for (const [title, bytes] of wrong) {
  Deno.test(`a connection ends at a client that sends ${title}`, async () => {
    const { port, ended } = served((stream) =>
      // Takes a request, and reads none of it.
      new Promise((resolve) =>
        stream.signal.addEventListener("abort", () => resolve())
      )
    );
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await new Blob([new Uint8Array(bytes)]).stream().pipeTo(
      connection.writable,
      { preventClose: true },
    );
    await ended;
  });
}
