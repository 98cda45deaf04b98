/** Servers that speak TLS and HTTP/2, but not always gRPC as they should. */

import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { type CertificateAuthority, serverPair } from "./_certificates.ts";

/** A running server. */
export interface BareServer extends AsyncDisposable {
  /** `host:port`. */
  readonly endpoint: string;
}

/** Starts a server that hands every stream to the test. */
export async function http2Server(
  ca: CertificateAuthority,
  serve: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  settings: { readonly maxConcurrentStreams?: number } = {},
): Promise<BareServer> {
  const { crt: cert, key } = await serverPair(ca);
  const server = createSecureServer({ cert, key, settings });
  const sockets: TLSSocket[] = [];
  server.on("secureConnection", (socket: TLSSocket) => sockets.push(socket));
  server.on("sessionError", () => {});
  server.on(
    "stream",
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on("error", () => {});
      serve(stream, headers);
    },
  );
  return await listening(server, sockets);
}

/** Kinds of frames and their codes (RFC 9113, 6). */
export const frameType = { headers: 1, rstStream: 3, settings: 4, goaway: 7 };

/** Starts a server that answers the headers of a request with bytes of the test. */
export async function frameServer(
  ca: CertificateAuthority,
  answer: (stream: number) => readonly Uint8Array[] | "close",
): Promise<BareServer> {
  const { crt: cert, key } = await serverPair(ca);
  const sockets: TLSSocket[] = [];
  const server = createServer({ cert, key, ALPNProtocols: ["h2"] });
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.write(encodeFrame(frameType.settings, 0, []));
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length;
    let bytes: number[] = [];
    let skip = preface;
    socket.on("data", (chunk: Uint8Array) => {
      bytes.push(...chunk);
      bytes = bytes.slice(skip);
      skip = Math.max(0, skip - chunk.length);
      for (; bytes.length >= 9; bytes = bytes.slice(9 + decodeLength(bytes))) {
        if (bytes.length < 9 + decodeLength(bytes)) return;
        if (bytes[3] !== frameType.headers) continue;
        const reply = answer((bytes[7] ?? 0) * 256 + (bytes[8] ?? 0));
        if (reply === "close") socket.destroy();
        else reply.forEach((one) => socket.write(one));
      }
    });
  });
  return await listening(server, sockets);
}

/** One frame. */
export function encodeFrame(
  type: number,
  stream: number,
  payload: readonly number[],
): Uint8Array {
  const { length } = payload;
  const head = [length >> 16, length >> 8 & 255, length & 255, type, 0];
  return new Uint8Array([...head, 0, 0, stream >> 8, stream & 255, ...payload]);
}

function decodeLength(
  [high = 0, middle = 0, low = 0]: readonly number[],
): number {
  return high * 65536 + middle * 256 + low;
}

async function listening(
  server: Server,
  sockets: readonly TLSSocket[],
): Promise<BareServer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
