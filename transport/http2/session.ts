/** HTTP/2 client connection (RFC 9113). */

import type { ByteStream } from "./byte_stream.ts";
import {
  defaultWindow,
  errorCode,
  Http2Error,
  largestWindow,
  preface,
  setting,
} from "./frame.ts";
import { FrameReader, maxHeaderListSize } from "./frame_reader.ts";
import type { HeaderField } from "./header_table.ts";
import { FrameSender } from "./sender.ts";
import {
  firstWindow,
  Http2Stream,
  type StreamFailure,
  type StreamReceiver,
} from "./stream.ts";

/** Read buffer size in bytes. */
const readSize = 256 * 1024;

/**
 * Window of the connection: unlimited, since each stream has its own.
 *
 * Deno delays small packets until the previous one is acknowledged (RFC 896), and a server that waits for a
 * window acknowledges late. So it must never wait for two windows.
 */
const connectionWindow = largestWindow;

/** Maximum number of consecutive frames that serve no call. */
const mostIdleFrames = 10_000;

const largestStream = 2 ** 31 - 1;

/** The other side closed the connection. */
export class ConnectionEnd extends Error {
  override readonly name = "ConnectionEnd";
}

/** An HTTP/2 connection. */
export class Http2Session {
  readonly #bytes: ByteStream;
  readonly #sender: FrameSender;
  readonly #streams = new Map<number, Http2Stream>();
  readonly #ready = Promise.withResolvers<void>();
  #waiting: Http2Stream[] = [];
  /** Callbacks for acknowledged settings, in order; none for the first. */
  readonly #acknowledged: (() => void)[] = [() => {}];
  #nextId = 1;
  #leaving = false;
  #lost: { readonly cause: unknown } | undefined;
  #goaway = "";
  #receiveWindow = connectionWindow;
  #uncredited = 0;
  #idleFrames = 0;
  /** SETTINGS_MAX_CONCURRENT_STREAMS of the other side. */
  #mostStreams = Infinity;

  private constructor(bytes: ByteStream) {
    this.#bytes = bytes;
    this.#sender = new FrameSender(bytes, (error) => this.destroy(error));
  }

  /**
   * Starts HTTP/2.
   *
   * @param bytes After the TLS handshake; closed with the session.
   * @param signal Aborts the wait for the server's settings.
   * @returns The connection, once the server has sent its settings.
   * @throws {ConnectionEnd} If the server closed the connection.
   * @throws {Http2Error} If the server does not speak HTTP/2.
   */
  static async open(
    bytes: ByteStream,
    signal: AbortSignal,
  ): Promise<Http2Session> {
    const session = new Http2Session(bytes);
    const abort = () => session.destroy(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    try {
      session.#start();
      await session.#ready.promise;
      return session;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** False if it accepts no more requests. */
  get usable(): boolean {
    return !this.#leaving && this.#lost === undefined;
  }

  /** Sends a request. `fields`: header fields, pseudo-header fields first. */
  request(
    fields: readonly HeaderField[],
    receiver: StreamReceiver,
  ): Http2Stream {
    const stream = new Http2Stream(this.#owner, fields, receiver);
    this.#waiting.push(stream);
    this.#openWaiting();
    return stream;
  }

  /**
   * Pings the other side.
   *
   * Sends empty SETTINGS: many servers close a connection with more than one PING per five minutes, but all
   * acknowledge SETTINGS.
   *
   * @param answered Called on the reply.
   */
  ping(answered: () => void): void {
    this.#acknowledged.push(answered);
    this.#sender.ask();
  }

  /** Closes the connection and all streams. */
  destroy(cause: unknown): void {
    if (this.#lost !== undefined) return;
    this.#lost = {
      cause: this.#goaway === ""
        ? cause
        : new ConnectionEnd(this.#goaway, { cause }),
    };
    this.#sender.stop(cause instanceof Http2Error ? cause : undefined);
    this.#bytes.close();
    this.#ready.reject(cause);
    this.#ready.promise.catch(() => {}); // only awaited while opening
    const failure: StreamFailure = { kind: "lost", ...this.#lost };
    for (const stream of this.#streams.values()) this.#fail(stream, failure);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) this.#fail(stream, { kind: "not-sent" });
  }

  readonly #owner = {
    changed: (stream: Http2Stream) => {
      if (stream.id !== 0) this.#sender.send(stream);
    },
    credited: (stream: Http2Stream, increment: number) =>
      this.#sender.credit(stream.id, increment),
    cancelled: (stream: Http2Stream, code: number) => {
      if (stream.id === 0) {
        this.#waiting = this.#waiting.filter((one) => one !== stream);
      } else this.#sender.reset(stream.id, code);
      this.#remove(stream);
    },
    room: () => this.#sender.room(),
  };

  #start(): void {
    this.#sender.start(preface, [
      [setting.enablePush, 0],
      [setting.initialWindowSize, firstWindow],
      [setting.maxHeaderListSize, maxHeaderListSize],
    ]);
    this.#sender.credit(0, connectionWindow - defaultWindow);
    this.#readAll();
  }

  async #readAll(): Promise<void> {
    const reader = new FrameReader(this.#handler);
    const buffer = new Uint8Array(readSize);
    let have = 0;
    try {
      while (this.#lost === undefined) {
        const count = await this.#bytes.read(buffer.subarray(have));
        if (count === null) {
          throw new ConnectionEnd("The other side closed the connection");
        }
        have += count;
        const used = reader.read(buffer.subarray(0, have));
        if (used < have) buffer.copyWithin(0, used, have);
        have -= used;
      }
    } catch (error) {
      this.destroy(error);
    }
  }

  readonly #handler = {
    data: (
      id: number,
      bytes: Uint8Array,
      size: number,
      end: boolean,
    ) => this.#data(id, bytes, size, end),
    headers: (
      id: number,
      fields: readonly HeaderField[] | undefined,
      end: boolean,
    ) => this.#headers(id, fields, end),
    reset: (id: number, code: number) => this.#wasReset(id, code),
    settings: (
      settings: readonly (readonly [number, number])[],
      ack: boolean,
    ) => this.#settings(settings, ack),
    ping: (payload: Uint8Array, ack: boolean) => {
      this.#idle();
      if (!ack) this.#sender.pong(payload);
    },
    goaway: (last: number, code: number, debug: Uint8Array) =>
      this.#wasLeft(last, code, debug),
    windowUpdate: (id: number, increment: number) =>
      this.#windowUpdate(id, increment),
    ignored: () => this.#idle(),
  };

  #data(id: number, bytes: Uint8Array, size: number, end: boolean): void {
    const stream = this.#streamOf(id);
    this.#receiveWindow -= size;
    this.#uncredited += size;
    if (bytes.length === 0 && !end || stream === undefined) this.#idle();
    else this.#idleFrames = 0;
    if (stream !== undefined) stream.receiveWindow -= size;
    if (this.#receiveWindow < 0 || (stream?.receiveWindow ?? 0) < 0) {
      const seen = "The other side sent more than was allowed";
      throw new Http2Error(errorCode.flowControlError, seen);
    }
    this.#creditConnection();
    if (stream === undefined) return;
    if (!stream.takeData(bytes)) {
      return this.#refuse(stream, "it has content where none belongs");
    }
    const padding = size - bytes.length;
    if (padding > 0) {
      // Padding counts against the window, but is never read.
      stream.receiveWindow += padding;
      if (!end) this.#sender.credit(id, padding);
    }
    if (end) this.#ended(stream);
  }

  #headers(
    id: number,
    fields: readonly HeaderField[] | undefined,
    end: boolean,
  ): void {
    const stream = this.#streamOf(id);
    // Oversized headers are expensive.
    if (stream === undefined) return this.#idle(fields ? 1 : mostIdleFrames);
    if (fields === undefined) {
      return this.#refuse(
        stream,
        `its header is larger than ${maxHeaderListSize} bytes`,
      );
    }
    const taken = stream.takeHeaders(fields, end);
    if (taken === "wrong") return this.#refuse(stream, "it has a wrong header");
    if (taken === "announced") return this.#idle();
    this.#idleFrames = 0;
    if (end) this.#ended(stream);
  }

  #wasReset(id: number, code: number): void {
    const stream = this.#streamOf(id);
    if (stream === undefined) return this.#idle();
    this.#fail(
      stream,
      code === errorCode.refusedStream
        ? { kind: "not-sent" }
        : { kind: "reset", code },
    );
  }

  #settings(
    settings: readonly (readonly [number, number])[],
    ack: boolean,
  ): void {
    const answered = ack ? this.#acknowledged.shift() : undefined;
    if (answered !== undefined) return answered();
    this.#idle();
    if (ack) return;
    for (const [id, value] of settings) {
      if (id === setting.maxConcurrentStreams) this.#mostStreams = value;
    }
    this.#sender.set(settings, this.#streams.values());
    this.#ready.resolve();
    this.#openWaiting();
  }

  #windowUpdate(id: number, increment: number): void {
    this.#idle();
    if (id === 0) return this.#sender.widen(increment, this.#streams.values());
    const stream = this.#streamOf(id);
    if (stream === undefined) return;
    stream.sendWindow += increment;
    if (increment === 0 || stream.sendWindow > largestWindow) {
      return this.#refuse(stream, "it breaks the rules of flow control");
    }
    this.#sender.send(stream);
  }

  #wasLeft(last: number, code: number, debug: Uint8Array): void {
    this.#idle();
    this.#leaving = true;
    if (code !== errorCode.noError) {
      const text = new TextDecoder().decode(debug.subarray(0, 200));
      this.#goaway = `HTTP/2 error ${code} ${text}`.trim();
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    const behind = [...this.#streams.values()].filter(({ id }) => id > last);
    for (const stream of [...behind, ...waiting]) {
      this.#fail(stream, { kind: "not-sent" });
    }
    this.#closeIfDone();
  }

  /** Returns the stream of a frame; `undefined` if it is already closed. */
  #streamOf(id: number): Http2Stream | undefined {
    if (id % 2 === 0 || id >= this.#nextId) {
      throw new Http2Error(errorCode.protocolError, `There is no stream ${id}`);
    }
    return this.#streams.get(id);
  }

  /** Limits frames that serve no call. */
  #idle(frames = 1): void {
    if (this.#sender.hasProgressed()) this.#idleFrames = 0;
    this.#idleFrames += frames;
    if (this.#idleFrames > mostIdleFrames || this.#sender.isStuck) {
      throw new Http2Error(
        errorCode.enhanceYourCalm,
        "The other side sends too many frames",
      );
    }
  }

  #openWaiting(): void {
    while (
      this.#waiting.length > 0 &&
      (!this.usable || this.#streams.size < this.#mostStreams)
    ) {
      if (this.#nextId > largestStream) this.#leaving = true;
      const stream = this.#waiting.shift()!; // not empty
      if (!this.usable) this.#fail(stream, { kind: "not-sent" });
      else this.#open(stream);
    }
  }

  #open(stream: Http2Stream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    this.#sender.open(stream);
  }

  #creditConnection(): void {
    if (this.#uncredited * 2 < connectionWindow) return;
    this.#receiveWindow += this.#uncredited;
    this.#sender.credit(0, this.#uncredited);
    this.#uncredited = 0;
  }

  #refuse(stream: Http2Stream, why: string): void {
    this.#sender.reset(stream.id, errorCode.protocolError);
    this.#fail(stream, { kind: "refused", why });
  }

  #ended(stream: Http2Stream): void {
    // The server no longer reads the request, so its rest would wait forever.
    if (!stream.sentEnd) this.#sender.reset(stream.id, errorCode.cancel);
    this.#remove(stream);
    stream.receiver.ended();
  }

  #fail(stream: Http2Stream, failure: StreamFailure): void {
    if (stream.closed) return;
    this.#remove(stream);
    stream.receiver.failed(failure);
  }

  #remove(stream: Http2Stream): void {
    stream.closed = true;
    stream.outgoing.length = 0;
    this.#streams.delete(stream.id);
    stream.wake();
    if (this.#lost !== undefined) return;
    this.#openWaiting();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (!this.#leaving || this.#streams.size > 0) return;
    this.destroy(new ConnectionEnd("The other side takes no more calls"));
  }
}
