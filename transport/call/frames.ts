/** Length-prefixed messages of gRPC (PROTOCOL-HTTP2, "Length-Prefixed-Message"). */

import { RpcError } from "../../errors.ts";

/** Longest message that is read, in bytes; what nodes send at most. */
export const maxMessage = 32 * 1024 * 1024;

/** Bytes before each message: one flag, four of length. */
const prefixSize = 5;

/** Puts the prefix in front of a message. `message`: encoded, not compressed. */
export function frame(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(prefixSize + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, prefixSize);
  return bytes;
}

/** Makes something of a stream of length-prefixed messages. */
export interface MessageReader<T> {
  /**
   * Takes the next bytes, which may change afterwards, and gives what they complete. Throws `RpcError`
   * if a message is longer than allowed, compressed, or no message at all.
   */
  readonly read: (chunk: Uint8Array) => readonly T[];
  /** Gives what was kept back to be given with what follows; absent when there never is any. */
  readonly flush?: () => readonly T[];
  /** Makes sure that the stream did not end inside a message. Throws `RpcError` if it did. */
  readonly end: () => void;
}

interface MessageParts {
  /** A message begins; its length in bytes is only promised yet. */
  readonly start: (length: number) => void;
  /** The next bytes of it, which may change afterwards; never called for an empty one. */
  readonly part: (bytes: Uint8Array) => void;
  readonly complete: () => void;
}

/**
 * Starts telling the parts of messages.
 *
 * @param limit Longest message in bytes.
 * @returns A reader that gives nothing itself.
 */
export function partReader(
  limit: number,
  parts: MessageParts,
): Pick<MessageReader<never>, "end"> & {
  /** Takes the next bytes. */
  readonly read: (chunk: Uint8Array) => void;
} {
  const prefix = new Uint8Array(prefixSize);
  let prefixed = 0;
  let left = 0;

  function read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (prefixed < prefixSize) {
        prefix[prefixed++] = chunk[at++]!; // it is shorter than the chunk
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

  return { read, end };
}

/** One message put together. */
export interface WholeMessage {
  /** Adds the next bytes, which may change afterwards. */
  readonly add: (bytes: Uint8Array) => void;
  /** The message, when all of it is there. */
  readonly bytes: () => Uint8Array;
}

/**
 * Starts putting a message together.
 *
 * Memory grows with the bytes that came, not with the length they promise.
 *
 * @param length Promised length in bytes.
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

/** Starts reading messages. `limit`: longest message in bytes. */
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
