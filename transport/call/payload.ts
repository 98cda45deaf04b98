/** Bytes of a streamed file, archive or log. */

import { RpcError } from "../../errors.ts";
import { type CallReplies, unopenedAnswers, unreadAnswers } from "./call.ts";
import { type Content, contentReader } from "./content.ts";
import { maxMessage } from "./frames.ts";
import { Data } from "../gen/common.ts";
import { type ReplyMessage, reported } from "./reply.ts";

/** One message of such a stream. Source: `common.Data`. */
export interface DataMessage extends ReplyMessage {
  /** Content, possibly empty. */
  readonly bytes: Uint8Array;
}

interface PayloadOptions {
  /** Takes what the node reports beside the content instead of it being raised. */
  readonly reported?: (failure: RpcError) => void;
  /** True for a reader that is done with a chunk when it asks for the next but one; its memory is then used again. */
  readonly lent?: boolean;
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
  return { bytes: message.bytes, failure: reported(message) };
}
