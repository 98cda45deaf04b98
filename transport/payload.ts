/** Bytes of a streamed file, archive or log. */

import type { RpcError } from "../errors.ts";
import { type ReplyMessage, reported } from "./reply.ts";

/** One message of such a stream. Source: `common.Data`. */
export interface DataMessage extends ReplyMessage {
  /** Content, possibly empty. */
  readonly bytes: Uint8Array;
}

/** What {@linkcode payload} may be told. */
export interface PayloadOptions {
  /** Takes what the node reports beside the content instead of it being raised. */
  readonly reported?: (failure: RpcError) => void;
}

/**
 * Takes the bytes out of messages.
 *
 * @param messages Answer of `Read`, `Copy`, `Logs`, `Dmesg` and the like.
 * @param options Where reports go, default: they end the stream, after the content they came with.
 * @returns Chunks that are not empty.
 * @throws {RpcError} What the node reported, or the status that ended the call.
 */
export async function* payload(
  messages: AsyncIterable<DataMessage>,
  { reported: report }: PayloadOptions = {},
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    if (message.bytes.length > 0) yield message.bytes;
    const failure = reported(message);
    if (failure !== undefined && report === undefined) throw failure;
    if (failure !== undefined) report?.(failure);
  }
}
