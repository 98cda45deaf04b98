/** Reads frames, and rejects those that are invalid in any state (RFC 9113, 4 to 6). */

import { concatBytes } from "../../lib/bytes.ts";
import type { HeaderField } from "./header_table.ts";
import { CompressionError, HeaderDecoder } from "./header_decoder.ts";
import {
  defaultFrameSize,
  errorCode,
  flag,
  frameHeaderSize,
  frameType,
  Http2Error,
} from "./frame.ts";

/** Maximum size of a header list in bytes as counted by HTTP/2; also the limit of its compressed size. */
export const maxHeaderListSize: number = 256 * 1024;

/** Maximum number of frames in a header block. */
const maxFragments = 64;

/** Size of the HPACK table in bytes; the default of HTTP/2. */
const headerTableSize = 4096;

/** Receiver of the content of frames. Payloads are only valid during the call. */
export interface FrameHandler {
  /** DATA; `size` includes the padding. */
  readonly data: (
    stream: number,
    bytes: Uint8Array,
    size: number,
    end: boolean,
  ) => void;
  /** HEADERS with its CONTINUATION frames; no fields if they exceed {@linkcode maxHeaderListSize}. */
  readonly headers: (
    stream: number,
    fields: readonly HeaderField[] | undefined,
    end: boolean,
  ) => void;
  readonly reset: (stream: number, code: number) => void;
  /** SETTINGS, in order; empty with `ack`. */
  readonly settings: (
    settings: readonly (readonly [setting: number, value: number])[],
    ack: boolean,
  ) => void;
  readonly ping: (payload: Uint8Array, ack: boolean) => void;
  readonly goaway: (last: number, code: number, debug: Uint8Array) => void;
  /** WINDOW_UPDATE; an increment of 0 is passed on. */
  readonly windowUpdate: (stream: number, increment: number) => void;
  /** A frame without effect. */
  readonly ignored: () => void;
}

/** An incomplete header block. */
interface OpenBlock {
  readonly stream: number;
  readonly end: boolean;
  readonly fragments: Uint8Array[];
  size: number;
}

/** Splits received bytes into frames. */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #decoder = new HeaderDecoder({
    tableSize: headerTableSize,
    listSize: maxHeaderListSize,
  });
  #open: OpenBlock | undefined;
  #first = true;

  /** Creates a reader for the start of a connection. */
  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /**
   * Reads all complete frames.
   *
   * @param bytes Received bytes not read yet.
   * @returns Number of bytes read.
   * @throws {Http2Error} On a protocol error.
   */
  read(bytes: Uint8Array): number {
    let at = 0;
    while (bytes.length - at >= frameHeaderSize) {
      const size = bytes[at]! << 16 | bytes[at + 1]! << 8 | bytes[at + 2]!;
      if (this.#first) this.#checkFirst(bytes[at + 3]!, bytes[at + 4]!);
      if (size > defaultFrameSize) {
        throw new Http2Error(
          errorCode.frameSizeError,
          `A frame has ${size} bytes, and ${defaultFrameSize} are allowed`,
        );
      }
      const start = at + frameHeaderSize;
      if (bytes.length - start < size) break;
      this.#first = false;
      const payload = bytes.subarray(start, start + size);
      const stream = uint31(bytes, at + 5);
      this.#frame(bytes[at + 3]!, bytes[at + 4]!, stream, payload);
      at = start + size;
    }
    return at;
  }

  /** RFC 9113, 3.4. */
  #checkFirst(type: number, flags: number): void {
    if (type === frameType.settings && !(flags & flag.ack)) return;
    throw broken("The other side does not speak HTTP/2");
  }

  #frame(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array,
  ): void {
    if (this.#open !== undefined && type !== frameType.continuation) {
      throw broken("A header block was interrupted");
    }
    switch (type) {
      case frameType.data: {
        needStream(stream);
        const bytes = withoutPadding(flags, payload, 0);
        const end = (flags & flag.endStream) !== 0;
        return this.#handler.data(stream, bytes, payload.length, end);
      }
      case frameType.headers:
        return this.#headers(flags, stream, payload);
      case frameType.continuation:
        return this.#continuation(flags, stream, payload);
      case frameType.rstStream:
        needStream(stream);
        needSize(payload, 4);
        return this.#handler.reset(stream, uint32At(payload, 0));
      case frameType.settings:
        return this.#settings(flags, stream, payload);
      case frameType.pushPromise:
        throw broken("The other side pushes, although pushes are disabled");
      case frameType.ping:
        needConnection(stream);
        needSize(payload, 8);
        return this.#handler.ping(payload, (flags & flag.ack) !== 0);
      case frameType.goaway:
        needConnection(stream);
        if (payload.length < 8) needSize(payload, 8);
        return this.#handler.goaway(
          uint31(payload, 0),
          uint32At(payload, 4),
          payload.subarray(8),
        );
      case frameType.windowUpdate:
        needSize(payload, 4);
        return this.#handler.windowUpdate(stream, uint31(payload, 0));
      case frameType.priority:
        needStream(stream);
        needSize(payload, 5);
        return this.#handler.ignored();
      default: // RFC 9113, 5.5
        return this.#handler.ignored();
    }
  }

  #headers(flags: number, stream: number, payload: Uint8Array): void {
    needStream(stream);
    const fragment = withoutPadding(
      flags,
      payload,
      flags & flag.priority ? 5 : 0,
    );
    const end = (flags & flag.endStream) !== 0;
    this.#open = { stream, end, fragments: [], size: 0 };
    this.#fragment(this.#open, flags, fragment);
  }

  #continuation(flags: number, stream: number, payload: Uint8Array): void {
    if (this.#open?.stream !== stream) {
      throw broken("A header block is continued, but none was started");
    }
    this.#fragment(this.#open, flags, payload);
  }

  #fragment(open: OpenBlock, flags: number, fragment: Uint8Array): void {
    open.size += fragment.length;
    if (
      open.size > maxHeaderListSize || open.fragments.length >= maxFragments
    ) {
      throw new Http2Error(
        errorCode.enhanceYourCalm,
        "A header block has no end",
      );
    }
    if (!(flags & flag.endHeaders)) {
      open.fragments.push(fragment.slice());
      return;
    }
    this.#open = undefined;
    const block = open.fragments.length === 0
      ? fragment
      : concatBytes([...open.fragments, fragment]);
    this.#handler.headers(open.stream, this.#decoded(block), open.end);
  }

  #decoded(block: Uint8Array): readonly HeaderField[] | undefined {
    try {
      return this.#decoder.decode(block);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      throw new Http2Error(errorCode.compressionError, error.message);
    }
  }

  #settings(flags: number, stream: number, payload: Uint8Array): void {
    needConnection(stream);
    const ack = (flags & flag.ack) !== 0;
    if (payload.length % 6 !== 0 || ack && payload.length > 0) {
      throw wrongSize();
    }
    const settings = Array.from({ length: payload.length / 6 }, (_, i) => {
      const id = payload[6 * i]! << 8 | payload[6 * i + 1]!;
      return [id, uint32At(payload, 6 * i + 2)] as const;
    });
    this.#handler.settings(settings, ack);
  }
}

function uint32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24 | bytes[at + 1]! << 16 | bytes[at + 2]! << 8 |
    bytes[at + 3]!) >>> 0;
}

function uint31(bytes: Uint8Array, at: number): number {
  return uint32At(bytes, at) & 0x7fffffff;
}

function withoutPadding(
  flags: number,
  payload: Uint8Array,
  skip: number,
): Uint8Array {
  const padded = (flags & flag.padded) !== 0;
  const padding = padded ? payload[0] ?? 0 : 0;
  const start = (padded ? 1 : 0) + skip;
  const end = payload.length - padding;
  if (start > end) throw broken("A frame is shorter than its padding");
  return payload.subarray(start, end);
}

function needStream(stream: number): void {
  if (stream === 0) throw broken("A frame names no stream");
}

function needConnection(stream: number): void {
  if (stream !== 0) throw broken("A frame of the connection names a stream");
}

function needSize(payload: Uint8Array, size: number): void {
  if (payload.length !== size) throw wrongSize();
}

function wrongSize(): Http2Error {
  return new Http2Error(errorCode.frameSizeError, "A frame has a wrong size");
}

function broken(message: string): Http2Error {
  return new Http2Error(errorCode.protocolError, message);
}
