/** Bytes of a TLS socket of Node.js, which can do what the runtime's own cannot: leave checks out, and go through proxies. */

import type { TLSSocket } from "node:tls";
import type { ByteStream } from "./byte_stream.ts";

/**
 * Reads and writes a socket.
 *
 * @param socket After its handshake; nobody else reads it.
 */
export function socketStream(socket: TLSSocket): ByteStream {
  let rest: Uint8Array | null = null;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  socket.on("error", (error: unknown) => failure ??= { error });
  for (const event of ["readable", "end", "error", "close"]) {
    socket.on(event, () => wake());
  }

  async function read(into: Uint8Array): Promise<number | null> {
    while (true) {
      rest ??= socket.read();
      if (rest !== null) break;
      if (failure !== undefined) throw failure.error;
      if (socket.readableEnded || socket.destroyed) return null;
      await new Promise<void>((resolve) => wake = resolve);
    }
    const size = Math.min(into.length, rest.length);
    into.set(rest.subarray(0, size));
    rest = size < rest.length ? rest.subarray(size) : null;
    return size;
  }

  function write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) =>
      socket.write(
        bytes,
        (error) => error ? reject(error) : resolve(bytes.length),
      )
    );
  }

  return { read, write, close: () => void socket.destroy() };
}
