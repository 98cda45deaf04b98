/** Serves files by TFTP (RFC 1350), with the options for block size and file size (RFC 2348, RFC 2349). */

import { createSocket } from "node:dgram";
import { bind, type RunningServer } from "../../sockets.ts";

interface TftpOptions {
  readonly host: string;
  /** Port, usually 69; 0 for a free one. */
  readonly port: number;
  /** Reads a file by its requested name; resolves to `undefined` if it does not exist. */
  readonly read: (name: string) => Promise<Uint8Array | undefined>;
}

const opcode = { read: 1, write: 2, data: 3, ack: 4, error: 5, options: 6 };
const notFound = 1;
const notAllowed = 2;

/** Number of retransmissions of a packet, and their interval in milliseconds. */
const repeats = 5;
const repeatMs = 1_000;

/** Starts the server. Throws Error if the port is in use or not permitted. */
export async function serveTftp(options: TftpOptions): Promise<RunningServer> {
  const socket = createSocket("udp4");
  const stop = new AbortController();
  socket.on("message", (packet, client) => {
    const words = new TextDecoder().decode(packet.subarray(2)).split("\0");
    const kind = packet[1];
    if (kind === opcode.read) {
      transfer(options, { words, client, signal: stop.signal });
    } else if (kind === opcode.write) {
      socket.send(
        failure(notAllowed, "read only"),
        client.port,
        client.address,
      );
    }
  });
  // A disconnected client causes a network error.
  socket.on("error", () => {});
  await bind(socket, options.port, options.host);
  return {
    port: socket.address().port,
    close() {
      stop.abort();
      socket.close();
    },
  };
}

interface ReadRequest {
  readonly words: readonly string[];
  readonly client: { readonly address: string; readonly port: number };
  readonly signal: AbortSignal;
}

async function transfer(
  { host, read }: TftpOptions,
  { words, client, signal }: ReadRequest,
): Promise<void> {
  const socket = createSocket("udp4");
  let acknowledged = (_block: number) => {};
  let ended = false;
  socket.on("error", () => {});
  socket.on("message", (packet, { port, address }) => {
    if (port !== client.port || address !== client.address) return;
    if (packet[1] === opcode.error) ended = true;
    acknowledged((packet[2] ?? 0) * 256 + (packet[3] ?? 0));
  });
  const send = async (packet: Uint8Array, block: number) => {
    for (let left = repeats; left > 0 && !ended && !signal.aborted; left--) {
      const answered = new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), repeatMs);
        acknowledged = (number) => {
          if (number !== block && !ended) return;
          clearTimeout(timer);
          resolve(true);
        };
      });
      socket.send(packet, client.port, client.address);
      if (await answered) return !ended;
    }
    return false;
  };
  try {
    await bind(socket, 0, host);
    const content = await read(words[0] ?? "");
    if (content === undefined) {
      socket.send(
        failure(notFound, "file not found"),
        client.port,
        client.address,
      );
      // Let the packet be sent before the socket is closed.
      return await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const { accepted, blockSize } = negotiate(words.slice(2), content.length);
    if (accepted.length > 0) {
      const text = new TextEncoder().encode(
        accepted.map((word) => `${word}\0`).join(""),
      );
      if (!await send(Uint8Array.from([0, opcode.options, ...text]), 0)) return;
    }
    for (let block = 1;; block++) {
      const at = (block - 1) * blockSize;
      const part = content.subarray(at, at + blockSize);
      const number = block % 65_536;
      const packet = new Uint8Array(4 + part.length);
      packet.set([0, opcode.data, number >>> 8, number & 255]);
      packet.set(part, 4);
      if (!await send(packet, number) || part.length < blockSize) return;
    }
  } finally {
    socket.close();
  }
}

function negotiate(options: readonly string[], size: number) {
  const accepted: string[] = [];
  let blockSize = 512;
  for (let at = 0; at + 1 < options.length; at += 2) {
    const name = options[at]?.toLowerCase();
    const value = Number(options[at + 1]);
    if (name === "tsize") accepted.push(name, String(size));
    if (name === "blksize" && value >= 8) {
      // Larger blocks exceed the MTU of the bridge.
      blockSize = Math.min(value, 1_428);
      accepted.push(name, String(blockSize));
    }
  }
  return { accepted, blockSize };
}

function failure(code: number, text: string): Uint8Array {
  return Uint8Array.from([
    0,
    opcode.error,
    0,
    code,
    ...new TextEncoder().encode(text),
    0,
  ]);
}
