/** A server that replays prepared answers; `deno run -A _replay.ts CONFIG` prints where it listens. */

import type { HeaderField } from "../transport/http2/header_table.ts";
import {
  type ServedStream,
  serveHttp2,
} from "../simulator/wire/http2_server.ts";

interface Config {
  readonly crt: string;
  readonly key: string;
  /** Files of messages, each after its length in four bytes, by method. */
  readonly replies: Readonly<Record<string, Reply<string>>>;
}

interface Reply<T> {
  readonly file: T;
  readonly repeat: number;
  readonly first?: T;
}

/** Bytes that are written at once. */
const blockSize = 256 * 1024;

const head: readonly HeaderField[] = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];

const [path = ""] = Deno.args;
const config: Config = JSON.parse(await Deno.readTextFile(path));
const replies = new Map<string, Reply<readonly Uint8Array[]>>();
for (
  const [method, { file, repeat, first }] of Object.entries(config.replies)
) {
  const bytes = frame(await Deno.readFile(file));
  // Short answers that are repeated become long ones.
  let times = Math.min(repeat, Math.ceil(blockSize / (bytes.length || 1)));
  while (repeat % times !== 0) times--;
  const whole = new Uint8Array(bytes.length * times);
  for (let i = 0; i < times; i++) whole.set(bytes, i * bytes.length);
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += blockSize) {
    blocks.push(whole.subarray(at, at + blockSize));
  }
  replies.set(method, {
    file: blocks,
    repeat: repeat / times,
    ...first !== undefined && { first: [frame(await Deno.readFile(first))] },
  });
}
const listener = Deno.listenTls({
  hostname: "127.0.0.1",
  port: 0,
  cert: config.crt,
  key: config.key,
  alpnProtocols: ["h2"],
});
await Deno.stdout.write(
  new TextEncoder().encode(`127.0.0.1:${listener.addr.port}\n`),
);
for await (const connection of listener) {
  let closed = false;
  serveHttp2({
    read: (into) => connection.read(into),
    write: (bytes) => connection.write(bytes),
    close() {
      if (!closed) connection.close();
      closed = true;
    },
  }, answer);
}

async function answer(stream: ServedStream): Promise<void> {
  const method = stream.fields.find(([name]) => name === ":path")?.[1] ?? "";
  const reply = replies.get(method);
  if (reply === undefined) {
    return await stream.respond([...head, ["grpc-status", "12"]], true);
  }
  await stream.respond(head, false);
  for (const block of reply.first ?? []) await stream.write(block);
  for (let i = 0; i < reply.repeat && !stream.signal.aborted; i++) {
    for (const block of reply.file) await stream.write(block);
  }
  await stream.respond([["grpc-status", "0"]], true);
}

/** Messages as gRPC sends them: a flag comes before each length. */
function frame(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at);
    parts.push(new Uint8Array(1), bytes.subarray(at, end));
    at = end;
  }
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
