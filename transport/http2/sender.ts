/** What the client says on a connection: frames, and how much of a request the other side lets it send (RFC 9113, 5.2). */

import type { ByteStream } from "./byte_stream.ts";
import {
  defaultFrameSize,
  defaultWindow,
  errorCode,
  flag,
  frameOf,
  frameType,
  Http2Error,
  largestWindow,
  preface,
  setting,
  settingsFrame,
  uint32,
} from "./frame.ts";
import { encodeHeaders } from "./header_encoder.ts";
import { Output } from "./output.ts";
import type { Http2Stream } from "./stream.ts";

/** Bytes of answers to frames that the other side may leave unread. */
const mostUnsent = 1024 * 1024;

/** The sending side of a connection. */
export class Sender {
  readonly #output: Output;
  #window = defaultWindow;
  #streamWindow = defaultWindow;
  #frameSize = defaultFrameSize;
  #progressed = false;

  /**
   * Makes the sending side.
   *
   * @param stream Where frames go.
   * @param failed Called once when they cannot.
   */
  constructor(
    stream: Pick<ByteStream, "write">,
    failed: (error: unknown) => void,
  ) {
    this.#output = new Output({ stream, failed });
  }

  /** True when the other side does not read what it is answered. */
  get isStuck(): boolean {
    return this.#output.size > mostUnsent;
  }

  /** Whether content was sent since the last time. */
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
   * Begins the connection.
   *
   * @param settings What the other side has to know.
   */
  start(
    settings: readonly (readonly [setting: number, value: number])[],
  ): void {
    this.#output.push(preface);
    this.#output.push(settingsFrame(settings));
  }

  /**
   * Ends the connection.
   *
   * @param error Rule that the other side broke, if it did.
   */
  stop(error: Http2Error | undefined): void {
    if (error === undefined) return this.#output.stop();
    // It names no stream, since none can be opened here.
    const payload = [...uint32(0), ...uint32(error.code)];
    this.#output.stop(frameOf(frameType.goaway, 0, 0, payload));
  }

  /**
   * Begins a stream, with as much of its request as is there.
   *
   * @param stream With its number.
   */
  open(stream: Http2Stream): void {
    stream.sendWindow = this.#streamWindow;
    let block = encodeHeaders(stream.fields);
    let type: number = frameType.headers;
    for (; block.length > this.#frameSize; type = frameType.continuation) {
      const fragment = block.subarray(0, this.#frameSize);
      this.#output.push(frameOf(type, 0, stream.id, fragment));
      block = block.subarray(fragment.length);
    }
    this.#output.push(frameOf(type, flag.endHeaders, stream.id, block));
    this.send(stream);
  }

  /**
   * Sends as much of a request as the windows allow.
   *
   * @param stream Open.
   */
  send(stream: Http2Stream): void {
    const { outgoing, id } = stream;
    while (outgoing.length > 0) {
      const next = outgoing[0]!; // there is one
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
      this.#output.push(frameOf(frameType.data, flags, id, content));
    }
    if (stream.finished && !stream.sentEnd) {
      stream.sentEnd = true;
      this.#output.push(frameOf(frameType.data, flag.endStream, id));
    }
    stream.wake();
  }

  /**
   * Makes room for more of the other side's content.
   *
   * @param id Number of the stream; 0 for the connection.
   * @param increment In bytes.
   */
  credit(id: number, increment: number): void {
    const payload = uint32(increment);
    this.#output.push(frameOf(frameType.windowUpdate, 0, id, payload));
  }

  /**
   * Ends a stream.
   *
   * @param id Its number.
   * @param code Error code.
   */
  reset(id: number, code: number): void {
    this.#output.push(frameOf(frameType.rstStream, 0, id, uint32(code)));
  }

  /** Sends settings that say nothing new, which the other side has to acknowledge. */
  ask(): void {
    this.#output.push(settingsFrame([]));
  }

  /**
   * Answers a ping.
   *
   * @param payload As it came.
   */
  pong(payload: Uint8Array): void {
    this.#output.push(frameOf(frameType.ping, flag.ack, 0, payload));
  }

  /**
   * Takes settings of the other side.
   *
   * @param settings Values by number, in order.
   * @param open Streams whose windows they change.
   * @throws {Http2Error} If a value is not allowed.
   */
  set(
    settings: readonly (readonly [setting: number, value: number])[],
    open: Iterable<Http2Stream>,
  ): void {
    const streams = [...open];
    for (const [id, value] of settings) {
      if (id === setting.maxFrameSize) this.#setFrameSize(value);
      if (id === setting.initialWindowSize) this.#setWindow(value, streams);
    }
    this.#output.push(frameOf(frameType.settings, flag.ack, 0));
    for (const stream of streams) this.send(stream);
  }

  /**
   * Takes room for more content of all streams.
   *
   * @param increment In bytes.
   * @param open Streams that may wait for it.
   * @throws {Http2Error} If it is none, or too much.
   */
  widen(increment: number, open: Iterable<Http2Stream>): void {
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

  #setWindow(value: number, streams: readonly Http2Stream[]): void {
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
