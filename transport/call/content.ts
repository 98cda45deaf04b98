/** Reading the content of files, archives and logs without decoding the messages around it. */

import type { RpcError } from "../../errors.ts";
import {
  type MessageReader,
  partReader,
  type WholeMessage,
  wholeMessage,
} from "./frames.ts";

/** What one message says. */
export interface Content {
  /** Content, possibly empty. */
  readonly bytes: Uint8Array;
  /** What the node reports beside it. */
  readonly failure?: RpcError | undefined;
}

interface ContentOptions {
  /** Longest message in bytes. */
  readonly limit: number;
  /** Reads a message that holds more than content. */
  readonly decode: (message: Uint8Array) => Content;
  /** True to use the memory of what was given again, once what came after it was given too and more is asked for. */
  readonly lent?: boolean;
}

/** Tag of `common.Data.bytes`: field 2 of wire type 2. */
const contentTag = 0x12;

/** Bytes of content that are given at once: few at first, since most files are small. */
const firstBlock = 16 * 1024;
const largestBlock = 128 * 1024;

type Block = Uint8Array<ArrayBuffer>;

/**
 * Starts reading content.
 *
 * Small messages are given together, and content is copied once, to where it stays.
 *
 * @returns Content in order, and failures after the content they came with.
 */
export function contentReader(
  { limit, decode, lent = false }: ContentOptions,
): MessageReader<Uint8Array | RpcError> {
  let block: Block = new Uint8Array();
  let start = 0;
  let end = 0;
  let done: (Uint8Array | RpcError)[] = [];
  let length = 0;
  /** Set while a message holds more than content, or its start is cut. */
  let whole: WholeMessage | undefined;
  let started = false;
  /** How often something was given. */
  let turns = 0;
  /** Full blocks, and the turn in which the last of each was given. */
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

/** Where the content begins in a message that holds nothing else; `undefined` if it is no such message. */
function contentStart(bytes: Uint8Array, length: number): number | undefined {
  if (bytes[0] !== contentTag) return undefined;
  let size = 0;
  for (let at = 1; at < bytes.length && at < 6; at++) {
    const byte = bytes[at]!; // checked by the loop
    size += (byte & 127) * 128 ** (at - 1);
    if (byte < 128) return size === length - at - 1 ? at + 1 : undefined;
  }
  return undefined;
}
