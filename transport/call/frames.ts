/** Length-prefixed messages of gRPC (PROTOCOL-HTTP2, "Length-Prefixed-Message"). */

import { RpcError } from "../../errors.ts";

/** Maximum message size in bytes; the limit of Talos. */
export const maxMessage = 32 * 1024 * 1024;

/** Prefix of each message in bytes: 1 for flags, 4 for the length. */
const prefixSize = 5;

/** Adds the prefix to a message. `message`: encoded, not compressed. */
export function frame(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(prefixSize + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, prefixSize);
  return bytes;
}

/** Decodes a stream of length-prefixed messages. */
export interface MessageReader<T> {
  /**
   * Reads the next bytes and returns completed results; the buffer may be reused. Throws `RpcError` if a
   * message is too long, compressed or invalid.
   */
  readonly read: (chunk: Uint8Array) => readonly T[];
  /** Returns buffered results; absent if the reader does not buffer. */
  readonly flush?: () => readonly T[];
  /** Checks that the stream did not end inside a message. Throws `RpcError` if it did. */
  readonly end: () => void;
}

interface MessageParts {
  /** A message starts; `length` is the announced length in bytes. */
  readonly start: (length: number) => void;
  /** Next bytes of the message; the buffer may be reused. Not called for an empty message. */
  readonly part: (bytes: Uint8Array) => void;
  readonly complete: () => void;
}

/**
 * Creates a reader that reports the parts of messages.
 *
 * @param limit Maximum message size in bytes.
 * @returns A reader that returns no results.
 */
export function partReader(
  limit: number,
  parts: MessageParts,
): Pick<MessageReader<never>, "end"> & {
  /** Reads the next bytes. */
  readonly read: (chunk: Uint8Array) => void;
} {
  const prefix = new Uint8Array(prefixSize);
  let prefixed = 0;
  let left = 0;

  function readChunk(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (prefixed < prefixSize) {
        prefix[prefixed++] = chunk[at++]!; // `at` is within the chunk
        if (prefixed < prefixSize) continue;
        left = messageLength(prefix, limit);
        parts.start(left);
      } else {
        const size = Math.min(left, chunk.length - at);
        parts.part(chunk.subarray(at, at + size));
        at += size;
        left -= size;
      }
      if (left > 0) continue;
      prefixed = 0;
      parts.complete();
    }
  }

  function end(): void {
    if (prefixed === 0) return;
    throw new RpcError(
      "DATA_LOSS",
      "The response ends in the middle of a message",
    );
  }

  return { read: readChunk, end };
}

/** A message assembled from parts. */
export interface WholeMessage {
  /** Adds the next bytes; the buffer may be reused. */
  readonly add: (bytes: Uint8Array) => void;
  readonly bytes: () => Uint8Array;
}

/**
 * Creates a buffer for one message.
 *
 * Memory grows with the received bytes, not with the announced length.
 *
 * @param length Announced length in bytes.
 */
export function wholeMessage(length: number): WholeMessage {
  let room = new Uint8Array();
  let have = 0;
  return {
    add(bytes) {
      const size = have + bytes.length;
      if (size > room.length) {
        const larger = new Uint8Array(
          Math.min(length, Math.max(size, have * 4)),
        );
        larger.set(room.subarray(0, have));
        room = larger;
      }
      room.set(bytes, have);
      have = size;
    },
    bytes: () => room,
  };
}

/** Creates a message reader. `limit`: maximum message size in bytes. */
export function frameReader(limit: number): MessageReader<Uint8Array> {
  let messages: Uint8Array[] = [];
  let message = wholeMessage(0);
  const { read, end } = partReader(limit, {
    start: (length) => message = wholeMessage(length),
    part: (bytes) => message.add(bytes),
    complete: () => messages.push(message.bytes()),
  });
  return {
    read(chunk) {
      messages = [];
      read(chunk);
      return messages;
    },
    end,
  };
}

function messageLength(prefix: Uint8Array, limit: number): number {
  const flag = prefix[0];
  const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
  if (flag === 1) {
    throw new RpcError("UNIMPLEMENTED", "The response is compressed");
  }
  if (flag !== 0) {
    throw new RpcError("DATA_LOSS", "The response is not a gRPC message");
  }
  if (length > limit) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `The response has a message of ${length} bytes, and ${limit} are allowed`,
    );
  }
  return length;
}
