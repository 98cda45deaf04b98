/** Reads the content of files, archives and logs without decoding the enclosing messages. */

import type { RpcError } from "../../errors.ts";
import {
  type MessageReader,
  partReader,
  type WholeMessage,
  wholeMessage,
} from "./frames.ts";

/** Decoded content message. */
export interface Content {
  /** Content, possibly empty. */
  readonly bytes: Uint8Array;
  /** Failure reported by the node in the same message. */
  readonly failure?: RpcError | undefined;
}

interface ContentOptions {
  /** Maximum message size in bytes. */
  readonly limit: number;
  /** Decodes a message that has other fields besides content. */
  readonly decode: (message: Uint8Array) => Content;
  /** True to reuse the memory of a chunk once the next chunk was returned and another one is requested. */
  readonly lent?: boolean;
}

/** Tag of `common.Data.bytes`: field 2 of wire type 2. */
const contentTag = 0x12;

/** Initial block size in bytes: small, since most files are small. */
const firstBlock = 16 * 1024;
const largestBlock = 128 * 1024;

type Block = Uint8Array<ArrayBuffer>;

/**
 * Creates a content reader.
 *
 * Small messages are returned together, and content is copied only once.
 *
 * @returns Content in order; failures follow the content of their message.
 */
export function contentReader(
  { limit, decode, lent = false }: ContentOptions,
): MessageReader<Uint8Array | RpcError> {
  let block: Block = new Uint8Array();
  let start = 0;
  let end = 0;
  let done: (Uint8Array | RpcError)[] = [];
  let length = 0;
  /** Set for a message with other fields besides content, or with a truncated start. */
  let whole: WholeMessage | undefined;
  let started = false;
  /** Number of times results were returned. */
  let turns = 0;
  /** Full blocks, and the turn in which the end of each was returned. */
  const full: { readonly block: Block; readonly turn: number }[] = [];

  function nextBlock(): Block {
    if (lent && block.length > 0) full.push({ block, turn: turns + 1 });
    const [oldest] = full;
    if (oldest !== undefined && oldest.turn <= turns - 2) {
      full.shift();
      return oldest.block;
    }
    const larger = Math.max(firstBlock, block.length * 4);
    return new Uint8Array(Math.min(largestBlock, larger));
  }

  function close(): void {
    if (end > start) done.push(block.subarray(start, end));
    start = end;
  }

  function append(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (end === block.length) {
        close();
        block = nextBlock();
        start = end = 0;
      }
      const size = Math.min(rest.length, block.length - end);
      block.set(size < rest.length ? rest.subarray(0, size) : rest, end);
      end += size;
      rest = rest.subarray(size);
    }
  }

  function part(bytes: Uint8Array): void {
    if (started && whole === undefined) return append(bytes);
    if (!started) {
      started = true;
      const at = contentStart(bytes, length);
      if (at !== undefined) return append(bytes.subarray(at));
      whole = wholeMessage(length);
    }
    whole?.add(bytes);
  }

  function complete(): void {
    started = false;
    if (whole === undefined) return;
    const { bytes, failure } = decode(whole.bytes());
    whole = undefined;
    append(bytes);
    if (failure === undefined) return;
    close();
    done.push(failure);
  }

  const parts = partReader(limit, {
    start: (size) => length = size,
    part,
    complete,
  });
  return {
    read(chunk) {
      parts.read(chunk);
      return [];
    },
    flush() {
      close();
      const all = done;
      done = [];
      if (all.length > 0) turns++;
      return all;
    },
    end: parts.end,
  };
}

/** Offset of the content in a message without other fields; `undefined` for any other message. */
function contentStart(bytes: Uint8Array, length: number): number | undefined {
  if (bytes[0] !== contentTag) return undefined;
  let size = 0;
  for (let at = 1; at < bytes.length && at < 6; at++) {
    const byte = bytes[at]!; // checked by the loop condition
    size += (byte & 127) * 128 ** (at - 1);
    if (byte < 128) return size === length - at - 1 ? at + 1 : undefined;
  }
  return undefined;
}
