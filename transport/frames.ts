/** Length-prefixed messages of gRPC (PROTOCOL-HTTP2, "Length-Prefixed-Message"). */

import { RpcError } from "../errors.ts";

/** Bytes before each message: one flag, four of length. */
const prefixSize = 5;

/**
 * Puts the prefix in front of a message.
 *
 * @param message Encoded, not compressed.
 */
export function frame(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(prefixSize + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, prefixSize);
  return bytes;
}

/** Cuts a stream of bytes into messages. */
export interface FrameReader {
  /**
   * Takes the next bytes and gives the messages they complete.
   *
   * @throws {RpcError} If a message is longer than allowed, compressed, or no message at all.
   */
  readonly read: (chunk: Uint8Array) => readonly Uint8Array[];
  /**
   * Makes sure that the stream did not end inside a message.
   *
   * @throws {RpcError} If it did.
   */
  readonly end: () => void;
}

/**
 * Starts reading messages.
 *
 * Memory grows with the bytes that came, not with the length they promise.
 *
 * @param limit Longest message in bytes.
 */
export function frameReader(limit: number): FrameReader {
  let chunks: Uint8Array[] = [];
  let have = 0;

  function take(size: number): Uint8Array {
    const all = chunks.length === 1 ? chunks[0]! : concat(chunks, have);
    chunks = size < have ? [all.subarray(size)] : [];
    have -= size;
    return all.subarray(0, size);
  }

  function lengthAhead(): number | undefined {
    if (have < prefixSize) return undefined;
    if (chunks[0]!.length < prefixSize) chunks = [concat(chunks, have)];
    return messageLength(chunks[0]!, limit);
  }

  function read(chunk: Uint8Array): readonly Uint8Array[] {
    if (chunk.length === 0) return [];
    chunks.push(chunk);
    have += chunk.length;
    const messages: Uint8Array[] = [];
    let length = lengthAhead();
    while (length !== undefined && have >= prefixSize + length) {
      messages.push(take(prefixSize + length).subarray(prefixSize));
      length = lengthAhead();
    }
    return messages;
  }

  function end(): void {
    if (have === 0) return;
    throw new RpcError(
      "INTERNAL",
      "The answer ends in the middle of a message",
    );
  }

  return { read, end };
}

function messageLength(prefix: Uint8Array, limit: number): number {
  const flag = prefix[0];
  const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
  if (flag === 1) {
    throw new RpcError("UNIMPLEMENTED", "The answer is compressed");
  }
  if (flag !== 0) {
    throw new RpcError("INTERNAL", "The answer is no gRPC message");
  }
  if (length > limit) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `The answer has a message of ${length} bytes, and ${limit} are allowed`,
    );
  }
  return length;
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
