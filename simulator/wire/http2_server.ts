/** The server's side of one HTTP/2 connection (RFC 9113). */

import type { ByteStream } from "../../transport/http2/byte_stream.ts";
import {
  defaultWindow,
  errorCode,
  Http2Error,
  largestWindow,
  preface,
  setting,
} from "../../transport/http2/frame.ts";
import {
  type FrameHandler,
  FrameReader,
  maxHeaderListSize,
} from "../../transport/http2/frame_reader.ts";
import type { HeaderField } from "../../transport/http2/header_table.ts";
import { FrameSender } from "../../transport/http2/sender.ts";

/** Read size in bytes. */
const readSize = 64 * 1024;

/** Receive window of a request, in bytes. */
const streamWindow = 1024 * 1024;

/** A request and its response. */
export class ServedStream {
  readonly #sender: FrameSender;
  readonly #gone = new AbortController();
  #requests: Uint8Array[] = [];
  #complete = false;
  #room = streamWindow;
  #arrived = () => {};
  #drained = () => {};

  readonly id: number;
  readonly fields: readonly HeaderField[];
  /** Content waiting for the client's flow-control window. */
  readonly outgoing: Uint8Array[] = [];
  /** Flow-control window of the client, in bytes. */
  sendWindow = 0;
  /** Content never ends a stream, trailers do. */
  readonly finished = false;
  sentEnd = false;

  /** Makes the stream of a request. */
  constructor(sender: FrameSender, id: number, fields: readonly HeaderField[]) {
    this.#sender = sender;
    this.id = id;
    this.fields = fields;
    sender.admit(this);
  }

  /** Aborts when the client resets the stream or disconnects. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Content of the request as it comes; ends early if the client disconnects. */
  async *content(): AsyncGenerator<Uint8Array> {
    while (!this.signal.aborted) {
      const next = this.#requests.shift();
      if (next !== undefined) {
        yield next;
        this.#room += next.length;
        if (!this.#complete) this.#sender.credit(this.id, next.length);
      } else if (this.#complete) return;
      else await new Promise<void>((resolve) => this.#arrived = resolve);
    }
  }

  /** Sends headers or trailers of the response. */
  async respond(fields: readonly HeaderField[], end: boolean): Promise<void> {
    await this.#flushed();
    if (this.signal.aborted) return;
    this.#sender.headers(this.id, fields, end);
    this.sentEnd = end;
    // The client need not send the rest, which is not read.
    if (end && !this.#complete) {
      this.#sender.reset(this.id, errorCode.noError);
    }
  }

  /** Sends content; resolves when there is room for more or the client disconnects. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.signal.aborted) return;
    this.outgoing.push(bytes);
    this.#sender.send(this);
    await this.#flushed();
    await this.#sender.room();
  }

  /** Receives content of the request, only valid during the call. */
  take(bytes: Uint8Array, size: number): void {
    this.#room -= size;
    if (this.#room < 0) {
      const seen = "The client sent more than was allowed";
      throw new Http2Error(errorCode.flowControlError, seen);
    }
    const padding = size - bytes.length;
    if (padding > 0) this.#sender.credit(this.id, padding);
    this.#room += padding;
    if (bytes.length > 0) this.#requests.push(bytes.slice());
    this.#arrived();
  }

  complete(): void {
    this.#complete = true;
    this.#arrived();
  }

  /** Handles a reset by the client. */
  abort(): void {
    this.#gone.abort();
    this.#arrived();
    this.wake();
  }

  /** Wakes waiting writers. */
  wake(): void {
    this.#drained();
  }

  async #flushed(): Promise<void> {
    while (this.outgoing.length > 0 && !this.signal.aborted) {
      await new Promise<void>((resolve) => this.#drained = resolve);
    }
  }
}

/**
 * Serves a connection until it closes.
 *
 * @param bytes After the TLS handshake.
 * @param serve Called for each request; the stream is over when it resolves.
 */
export async function serveHttp2(
  bytes: ByteStream,
  serve: (stream: ServedStream) => Promise<void>,
): Promise<void> {
  const streams = new Map<number, ServedStream>();
  const sender = new FrameSender(bytes, () => bytes.close());
  sender.start(new Uint8Array(), [
    [setting.initialWindowSize, streamWindow],
    [setting.maxHeaderListSize, maxHeaderListSize],
  ]);
  // Each stream has its own window.
  sender.credit(0, largestWindow - defaultWindow);
  let failure: unknown;
  try {
    await readFrames(bytes, makeHandler(streams, sender, serve));
  } catch (error) {
    failure = error;
  }
  sender.stop(failure instanceof Http2Error ? failure : undefined);
  bytes.close();
  for (const stream of streams.values()) stream.abort();
}

function makeHandler(
  streams: Map<number, ServedStream>,
  sender: FrameSender,
  serve: (stream: ServedStream) => Promise<void>,
): FrameHandler {
  let last = 0;
  let uncredited = 0;

  function findStream(id: number): ServedStream | undefined {
    if (id > last) throw broken(`There is no stream ${id}`);
    return streams.get(id);
  }

  async function begin(stream: ServedStream): Promise<void> {
    streams.set(stream.id, stream);
    await serve(stream);
    stream.abort();
    streams.delete(stream.id);
  }

  return {
    data(id, bytes, size, end) {
      uncredited += size;
      if (uncredited > largestWindow / 2) {
        sender.credit(0, uncredited);
        uncredited = 0;
      }
      const stream = findStream(id);
      stream?.take(bytes, size);
      if (end) stream?.complete();
    },
    headers(id, fields, end) {
      if (id <= last) return streams.get(id)?.complete(); // trailers
      if (id % 2 === 0) throw broken("A client opens odd streams");
      last = id;
      if (fields === undefined) {
        return sender.reset(id, errorCode.enhanceYourCalm);
      }
      const stream = new ServedStream(sender, id, fields);
      if (end) stream.complete();
      begin(stream);
    },
    reset(id) {
      findStream(id)?.abort();
      streams.delete(id);
    },
    settings(settings, ack) {
      if (!ack) sender.set(settings, streams.values());
    },
    ping(payload, ack) {
      if (!ack) sender.pong(payload);
      if (sender.isStuck) throw broken("The client reads no answers");
    },
    goaway() {},
    windowUpdate(id, increment) {
      if (id === 0) return sender.widen(increment, streams.values());
      const stream = findStream(id);
      if (stream === undefined) return;
      stream.sendWindow += increment;
      sender.send(stream);
    },
    ignored() {},
  };
}

async function readFrames(
  bytes: ByteStream,
  handler: FrameHandler,
): Promise<void> {
  const reader = new FrameReader(handler);
  const buffer = new Uint8Array(readSize);
  let have = 0;
  let started = false;
  while (true) {
    const count = await bytes.read(buffer.subarray(have));
    if (count === null) return;
    have += count;
    let used = 0;
    if (!started && have >= preface.length) {
      const opening = buffer.subarray(0, preface.length);
      if (opening.some((byte, at) => byte !== preface[at])) {
        throw broken("The client does not speak HTTP/2");
      }
      started = true;
      used = preface.length;
    }
    if (started) used += reader.read(buffer.subarray(used, have));
    if (used < have) buffer.copyWithin(0, used, have);
    have -= used;
  }
}

function broken(message: string): Http2Error {
  return new Http2Error(errorCode.protocolError, message);
}
