/** Sending side of a connection: frames and flow control (RFC 9113, 5.2). */

import type { ByteStream } from "./byte_stream.ts";
import {
  defaultFrameSize,
  defaultWindow,
  encodeFrame,
  errorCode,
  flag,
  frameType,
  Http2Error,
  largestWindow,
  setting,
  settingsFrame,
  uint32,
} from "./frame.ts";
import { Output } from "./output.ts";
import type { Http2Stream } from "./stream.ts";
import { type HeaderField, staticTable } from "./header_table.ts";

/** Maximum unsent replies to frames of the other side, in bytes. */
const mostUnsent = 1024 * 1024;

/** Part of a stream used by the sending side. */
export type SendingStream = Pick<
  Http2Stream,
  "id" | "outgoing" | "finished" | "sentEnd" | "sendWindow" | "wake"
>;

/** The sending side of a connection. */
export class FrameSender {
  readonly #output: Output;
  #window = defaultWindow;
  #streamWindow = defaultWindow;
  #frameSize = defaultFrameSize;
  #progressed = false;

  /** Creates the sending side. `failed`: called once when a write fails. */
  constructor(
    stream: Pick<ByteStream, "write">,
    failed: (error: unknown) => void,
  ) {
    this.#output = new Output({ stream, failed });
  }

  /** True if the other side does not read replies. */
  get isStuck(): boolean {
    return this.#output.replies > mostUnsent;
  }

  /** True if content was sent since the last check. */
  hasProgressed(): boolean {
    const progressed = this.#progressed;
    this.#progressed = false;
    return progressed;
  }

  /** Waits until there is room for more. */
  room(): Promise<void> {
    return this.#output.room();
  }

  /**
   * Starts the connection.
   *
   * @param opening Bytes before the settings: the preface of a client; empty for a server.
   */
  start(
    opening: Uint8Array,
    settings: readonly (readonly [setting: number, value: number])[],
  ): void {
    this.#output.push(opening);
    this.#output.push(settingsFrame(settings));
  }

  /** Closes the connection. `error`: protocol error of the other side, if any. */
  stop(error: Http2Error | undefined): void {
    if (error === undefined) return this.#output.stop();
    // Last stream 0, since the other side cannot open streams.
    const payload = [...uint32(0), ...uint32(error.code)];
    this.#output.stop(encodeFrame(frameType.goaway, 0, 0, payload));
  }

  /** Opens a stream and sends the available part of its request. */
  open(stream: Http2Stream): void {
    this.admit(stream);
    this.headers(stream.id, stream.fields, false);
    this.send(stream);
  }

  /** Sets the initial window of a stream. */
  admit(stream: SendingStream): void {
    stream.sendWindow = this.#streamWindow;
  }

  /** Sends header fields or trailers. */
  headers(id: number, fields: Iterable<HeaderField>, end: boolean): void {
    let block = encodeHeaders(fields);
    let type: number = frameType.headers;
    let flags: number = end ? flag.endStream : 0;
    while (block.length > this.#frameSize) {
      const fragment = block.subarray(0, this.#frameSize);
      this.#output.push(encodeFrame(type, flags, id, fragment));
      block = block.subarray(fragment.length);
      type = frameType.continuation;
      flags = 0;
    }
    this.#output.push(encodeFrame(type, flags | flag.endHeaders, id, block));
  }

  /** Sends as much queued content as the windows allow. */
  send(stream: SendingStream): void {
    const { outgoing, id } = stream;
    while (outgoing.length > 0) {
      const next = outgoing[0]!; // not empty
      const size = Math.min(
        next.length,
        this.#frameSize,
        stream.sendWindow,
        this.#window,
      );
      if (size <= 0 && next.length > 0) return;
      if (size === next.length) outgoing.shift();
      else outgoing[0] = next.subarray(size);
      stream.sendWindow -= size;
      this.#window -= size;
      this.#progressed = true;
      stream.sentEnd = stream.finished && outgoing.length === 0;
      const flags = stream.sentEnd ? flag.endStream : 0;
      const content = next.subarray(0, size);
      this.#output.push(encodeFrame(frameType.data, flags, id, content));
    }
    if (stream.finished && !stream.sentEnd) {
      stream.sentEnd = true;
      this.#output.push(encodeFrame(frameType.data, flag.endStream, id));
    }
    stream.wake();
  }

  /**
   * Increases a receive window.
   *
   * @param id Number of the stream; 0 for the connection.
   * @param increment In bytes.
   */
  credit(id: number, increment: number): void {
    const payload = uint32(increment);
    this.#output.push(encodeFrame(frameType.windowUpdate, 0, id, payload));
  }

  reset(id: number, code: number): void {
    this.#output.push(
      encodeFrame(frameType.rstStream, 0, id, uint32(code)),
      true,
    );
  }

  /** Sends empty settings, which the other side has to acknowledge. */
  ask(): void {
    this.#output.push(settingsFrame([]));
  }

  pong(payload: Uint8Array): void {
    this.#output.push(encodeFrame(frameType.ping, flag.ack, 0, payload), true);
  }

  /**
   * Applies settings of the other side.
   *
   * @param settings Values by number, in order.
   * @throws {Http2Error} If a value is not allowed.
   */
  set(
    settings: readonly (readonly [setting: number, value: number])[],
    open: Iterable<SendingStream>,
  ): void {
    const streams = [...open];
    for (const [id, value] of settings) {
      if (id === setting.maxFrameSize) this.#setFrameSize(value);
      if (id === setting.initialWindowSize) this.#setWindow(value, streams);
    }
    this.#output.push(encodeFrame(frameType.settings, flag.ack, 0), true);
    for (const stream of streams) this.send(stream);
  }

  /**
   * Increases the send window of the connection.
   *
   * @param increment In bytes.
   * @param open Streams that may be waiting.
   * @throws {Http2Error} If the increment is 0, or the window overflows.
   */
  widen(increment: number, open: Iterable<SendingStream>): void {
    this.#window += increment;
    if (increment === 0 || this.#window > largestWindow) throw tooWide();
    for (const stream of open) this.send(stream);
  }

  #setFrameSize(value: number): void {
    if (value < defaultFrameSize || value >= 2 ** 24) {
      throw new Http2Error(
        errorCode.protocolError,
        `Frames of ${value} bytes are not allowed`,
      );
    }
    this.#frameSize = value;
  }

  #setWindow(value: number, streams: readonly SendingStream[]): void {
    if (value > largestWindow) throw tooWide();
    const change = value - this.#streamWindow;
    this.#streamWindow = value;
    for (const stream of streams) {
      stream.sendWindow += change;
      if (stream.sendWindow > largestWindow) throw tooWide();
    }
  }
}

function tooWide(): Http2Error {
  return new Http2Error(
    errorCode.flowControlError,
    "The other side opens a window wrongly",
  );
}

const indexOfField = new Map<string, number>();
const indexOfName = new Map<string, number>();
for (const [place, [name, value]] of staticTable.entries()) {
  if (!indexOfName.has(name)) indexOfName.set(name, place + 1);
  if (value !== "") indexOfField.set(`${name}\n${value}`, place + 1);
}

/** Credentials, which must never be indexed, not even by proxies (RFC 7541, 7.1.3). */
const secret = /^(?:authorization|cookie|proxy-authorization)$|signature|token/;

/**
 * Encodes a header block.
 *
 * No field is indexed, so that values cannot be guessed from the compressed size.
 *
 * @param fields Names in lower case, pseudo-header fields first; values of ASCII characters.
 */
export function encodeHeaders(fields: Iterable<HeaderField>): Uint8Array {
  const bytes: number[] = [];
  for (const field of fields) writeField(bytes, field);
  return new Uint8Array(bytes);
}

function writeField(bytes: number[], [name, value]: HeaderField): void {
  const known = indexOfField.get(`${name}\n${value}`);
  if (known !== undefined) return writeInteger(bytes, known, 7, 0x80);
  const index = indexOfName.get(name) ?? 0;
  writeInteger(bytes, index, 4, secret.test(name) ? 0x10 : 0);
  if (index === 0) writeString(bytes, name);
  writeString(bytes, value);
}

function writeString(bytes: number[], text: string): void {
  writeInteger(bytes, text.length, 7, 0);
  for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at));
}

function writeInteger(
  bytes: number[],
  value: number,
  prefix: number,
  pattern: number,
): void {
  const most = 2 ** prefix - 1;
  if (value < most) {
    bytes.push(pattern | value);
    return;
  }
  bytes.push(pattern | most);
  let rest = value - most;
  for (; rest > 127; rest >>>= 7) bytes.push(rest & 127 | 128);
  bytes.push(rest);
}
