/** The server of simulated nodes against a client of another make, and against clients that break the rules. */

import {
  type ServedStream,
  serveHttp2,
} from "../../../simulator/wire/http2_server.ts";
import {
  encodeFrame,
  frameType,
  preface,
  settingsFrame,
  uint32,
} from "../../../transport/http2/frame.ts";

/** Serves one connection; gives a plain one to it. */
function startServer(
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

const opening = [...preface, ...settingsFrame([])];
const wrong = [
  ["no HTTP/2", [...new TextEncoder().encode("GET / HTTP/1.1\r\n".repeat(3))]],
  ["no settings", [...preface, ...encodeFrame(frameType.ping, 0, 0, Array(8))]],
  ["an even stream", [
    ...opening,
    ...encodeFrame(frameType.headers, 5, 2, [0x83]),
  ]],
  ["content of no stream", [
    ...opening,
    ...encodeFrame(frameType.data, 0, 1, [1]),
  ]],
  ["more than the window", [
    ...opening,
    ...encodeFrame(frameType.headers, 4, 1, [0x83]),
    ...Array.from(
      { length: 65 },
      () => [...encodeFrame(frameType.data, 0, 1, new Uint8Array(16_384))],
    ).flat(),
  ]],
  ["room beyond all", [
    ...opening,
    ...encodeFrame(frameType.windowUpdate, 0, 0, uint32(2 ** 31 - 1)),
  ]],
] as const;

for (const [title, bytes] of wrong) {
  Deno.test(`a connection ends at a client that sends ${title}`, async () => {
    const { port, ended } = startServer((stream) =>
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
