/** gRPC server for services that do not belong to a node. */

import { rpcCode, RpcError } from "../../errors.ts";
import { frame, frameReader } from "../../transport/call/frames.ts";
import type { ByteStream } from "../../transport/http2/byte_stream.ts";
import type { HeaderField } from "../../transport/http2/header_table.ts";
import { type ServedStream, serveHttp2 } from "./http2_server.ts";

/** Handles a call: takes the path and encoded request, returns the encoded reply. Throws RpcError for a status. */
type UnaryHandler = (
  path: string,
  request: Uint8Array,
) => Promise<Uint8Array>;

/** Longest request in bytes. */
const maxRequest = 64 * 1024;

/** Serves a connection until it closes. */
export async function serveUnary(
  bytes: ByteStream,
  handler: UnaryHandler,
): Promise<void> {
  await serveHttp2(bytes, (stream) => answerUnary(stream, handler));
}

const head: readonly HeaderField[] = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];

/** Serves a call. */
export async function answerUnary(
  stream: ServedStream,
  handler: UnaryHandler,
): Promise<void> {
  try {
    const path = stream.fields.find(([name]) => name === ":path")?.[1] ?? "";
    const reply = await handler(path, await readRequest(stream));
    await stream.respond(head, false);
    await stream.write(frame(reply));
    await stream.respond([["grpc-status", "0"]], true);
  } catch (error) {
    await stream.respond([...head, ...failure(error)], true);
  }
}

/** Handles a streaming call: reads and sends messages. Throws RpcError for a status. */
type MessagesHandler = (
  received: AsyncIterable<Uint8Array>,
  send: (message: Uint8Array) => void,
) => Promise<void>;

/** Serves a streaming call. `longest`: maximum message size in bytes. */
export async function answerMessages(
  stream: ServedStream,
  longest: number,
  handler: MessagesHandler,
): Promise<void> {
  const begun = stream.respond(head, false);
  try {
    await handler(readMessages(stream, longest), (message) => {
      // Ignore messages lost with a disconnected client.
      begun.then(() => stream.write(frame(message))).catch(() => {});
    });
    await begun;
    await stream.respond([["grpc-status", "0"]], true);
  } catch (error) {
    await begun;
    await stream.respond(failure(error), true);
  }
}

async function* readMessages(
  stream: ServedStream,
  longest: number,
): AsyncGenerator<Uint8Array> {
  const reader = frameReader(longest);
  for await (const bytes of stream.content()) yield* reader.read(bytes);
}

function failure(error: unknown): readonly HeaderField[] {
  const { code, message } = error instanceof RpcError
    ? error
    : new RpcError("INTERNAL", "the service failed");
  return [["grpc-status", String(rpcCode[code])], ["grpc-message", message]];
}

async function readRequest(stream: ServedStream): Promise<Uint8Array> {
  const reader = frameReader(maxRequest);
  for await (const bytes of stream.content()) {
    for (const message of reader.read(bytes)) return message.slice();
  }
  throw new RpcError("INVALID_ARGUMENT", "there is no request");
}
