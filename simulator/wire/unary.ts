/** Serves calls of one message each by gRPC, for services that are no node's. */

import { rpcCode, RpcError } from "../../errors.ts";
import { frame, frameReader } from "../../transport/call/frames.ts";
import type { ByteStream } from "../../transport/http2/byte_stream.ts";
import type { HeaderField } from "../../transport/http2/header_table.ts";
import { type ServedStream, serveHttp2 } from "./http2_server.ts";

/** Answers a call. Gets path and request, encoded; returns the answer, encoded. Throws RpcError for a status. */
export type UnaryHandler = (
  path: string,
  request: Uint8Array,
) => Promise<Uint8Array>;

/** Longest request in bytes. */
const maxRequest = 64 * 1024;

/** Serves a connection until it ends. */
export async function serveUnary(
  bytes: ByteStream,
  handler: UnaryHandler,
): Promise<void> {
  await serveHttp2(bytes, (stream) => answer(stream, handler));
}

const head: readonly HeaderField[] = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];

async function answer(
  stream: ServedStream,
  handler: UnaryHandler,
): Promise<void> {
  try {
    const path = stream.fields.find(([name]) => name === ":path")?.[1] ?? "";
    const reply = await handler(path, await requestOf(stream));
    await stream.respond(head, false);
    await stream.write(frame(reply));
    await stream.respond([["grpc-status", "0"]], true);
  } catch (error) {
    const { code, message } = error instanceof RpcError
      ? error
      : new RpcError("INTERNAL", "the service failed");
    const status = String(rpcCode[code]);
    const end = [["grpc-status", status], ["grpc-message", message]] as const;
    await stream.respond([...head, ...end], true);
  }
}

async function requestOf(stream: ServedStream): Promise<Uint8Array> {
  const reader = frameReader(maxRequest);
  for await (const bytes of stream.content()) {
    for (const message of reader.read(bytes)) return message.slice();
  }
  throw new RpcError("INVALID_ARGUMENT", "there is no request");
}
