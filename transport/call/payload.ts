/** Bytes of a streamed file, archive or log. */

import { RpcError } from "../../errors.ts";
import { type CallReplies, unopenedAnswers, unreadAnswers } from "./call.ts";
import { type Content, contentReader } from "./content.ts";
import { maxMessage } from "./frames.ts";
import { Data } from "../gen/common.ts";
import { replyError, type ReplyMessage } from "./reply.ts";

/** Message of a data stream. Source: `common.Data`. */
export interface DataMessage extends ReplyMessage {
  /** Content, possibly empty. */
  readonly bytes: Uint8Array;
}

interface PayloadOptions {
  /** Receives failures reported by the node; default they are thrown. */
  readonly reported?: (failure: RpcError) => void;
  /** True if the caller no longer needs a chunk when it requests the next but one; its memory is then reused. */
  readonly lent?: boolean;
}

/**
 * Extracts the bytes of messages.
 *
 * @param messages Replies of `Read`, `Copy`, `Logs`, `Dmesg` and similar methods.
 * @param options Handler of reported failures; default they end the stream after the content of their message.
 * @returns Non-empty chunks.
 * @throws {RpcError} The reported failure, or the final status of the call.
 */
export async function* payload(
  messages: CallReplies<DataMessage>,
  { reported: report, lent = false }: PayloadOptions = {},
): AsyncGenerator<Uint8Array> {
  const opened = await messages[unopenedAnswers]?.() ?? messages;
  for await (const batch of contents(opened, lent)) {
    for (const one of batch) {
      if (!(one instanceof RpcError)) yield one;
      else if (report === undefined) throw one;
      else report(one);
    }
  }
}

function contents(
  messages: CallReplies<DataMessage>,
  lent: boolean,
): AsyncIterable<readonly (Uint8Array | RpcError)[]> {
  const unread = messages[unreadAnswers];
  if (unread?.type !== Data) return decodedContents(messages);
  const decode = (message: Uint8Array) => readContent(Data.decode(message));
  return unread.read(contentReader({ limit: maxMessage, decode, lent }));
}

async function* decodedContents(
  messages: AsyncIterable<DataMessage>,
): AsyncGenerator<readonly (Uint8Array | RpcError)[]> {
  for await (const message of messages) {
    const { bytes, failure } = readContent(message);
    if (bytes.length > 0) yield [bytes];
    if (failure !== undefined) yield [failure];
  }
}

function readContent(message: DataMessage): Content {
  return { bytes: message.bytes, failure: replyError(message) };
}
