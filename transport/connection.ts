/** One HTTP/2 connection to an endpoint, and the gRPC calls on it. */

import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { ConnectError, RpcError } from "../errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { frame, frameReader } from "./frames.ts";
import type { Metadata } from "./metadata.ts";
import { decodeMessage, httpError, resetError, statusError } from "./status.ts";
import { untilEvent } from "./until_event.ts";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** Longest message that is read, in bytes; what nodes send at most. */
const maxMessage = 32 * 1024 * 1024;

/** Bytes that may be under way before we read them; for the connection and for each call. */
const window = 8 * 1024 * 1024;

/** Time between two pings; servers close connections that ping more often than every five minutes. */
const pingEveryMs = 310_000;

const pingTimeoutMs = 20_000;

/** The request did not reach the server, so that another endpoint may be asked. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

/** One request of a call. */
export interface Call {
  /** HTTP/2 path of the method. */
  readonly path: string;
  /** Request metadata. */
  readonly metadata: Metadata;
  /** The encoded message, or one after the other. */
  readonly request: Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the call; its reason is then raised. */
  readonly signal: AbortSignal;
}

/** An open connection. */
export class Connection {
  readonly #session: ClientHttp2Session;
  #ping: ReturnType<typeof setInterval> | undefined;
  #calls = 0;
  #leaving = false;
  #lastStream = Infinity;
  #lost: unknown;

  /** Where it leads. */
  readonly endpoint: Endpoint;

  private constructor(session: ClientHttp2Session, endpoint: Endpoint) {
    this.#session = session;
    this.endpoint = endpoint;
    session.on("error", (error: unknown) => this.#lost = error);
    session.on("goaway", (_code: number, lastStream: number) => {
      this.#leaving = true;
      this.#lastStream = lastStream;
    });
    session.on("close", () => this.#stopPing());
  }

  /**
   * Starts HTTP/2.
   *
   * Waits for the settings of the server: it sends them only after it took our certificate.
   *
   * @param socket After its handshake.
   * @param endpoint Where it leads.
   * @param signal Ends the wait.
   */
  static async open(
    socket: TLSSocket,
    endpoint: Endpoint,
    signal: AbortSignal,
  ): Promise<Connection> {
    const session = connect(`https://${endpoint.text}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: window },
      maxSessionMemory: 1024, // in megabytes; each call is bounded by its window
    });
    const connection = new Connection(session, endpoint);
    try {
      await untilEvent(session, "remoteSettings", signal);
    } catch (error) {
      session.destroy();
      throw error;
    }
    session.setLocalWindowSize(window);
    return connection;
  }

  /** False when it takes no more calls. */
  get usable(): boolean {
    return !this.#leaving && !this.#session.closed && !this.#session.destroyed;
  }

  /** Ends the connection and all calls on it. */
  close(): void {
    this.#stopPing();
    this.#session.destroy();
  }

  /**
   * Makes a call.
   *
   * @param call What to ask.
   * @returns Encoded messages; leaving the loop ends the call.
   * @throws {NotSentError} Before the first message, if the server did not take the request.
   * @throws {RpcError} If the server answered with another status than OK.
   * @throws {ConnectError} If the connection was lost.
   */
  async *call(call: Call): AsyncGenerator<Uint8Array> {
    call.signal.throwIfAborted();
    const stream = this.#request(call);
    const abort = () => cancel(stream, call.signal.reason);
    call.signal.addEventListener("abort", abort);
    this.#enter();
    try {
      yield* this.#answers(stream);
    } finally {
      this.#leave();
      call.signal.removeEventListener("abort", abort);
      cancel(stream);
    }
  }

  #request({ path, metadata, request }: Call): ClientHttp2Stream {
    if (!this.usable) throw new NotSentError();
    const stream = this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      "te": "trailers",
      "user-agent": "osctl",
      ...metadata,
    });
    stream.on("error", () => {}); // seen by whoever reads the stream
    if (request instanceof Uint8Array) stream.end(frame(request));
    else send(stream, request);
    return stream;
  }

  async *#answers(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
    let head: IncomingHttpHeaders = {};
    let tail: IncomingHttpHeaders = {};
    stream.on("response", (headers) => head = headers);
    stream.on("trailers", (headers) => tail = headers);
    const reader = frameReader(maxMessage);
    try {
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
        yield* reader.read(chunk);
      }
    } catch (error) {
      throw this.#failure(stream, head, error);
    }
    const status = tail["grpc-status"] ?? head["grpc-status"];
    if (status === undefined) throw this.#failure(stream, head, undefined);
    if (status !== "0") {
      const message = tail["grpc-message"] ?? head["grpc-message"] ?? "";
      throw statusError(Number(status), decodeMessage(String(message)));
    }
    reader.end();
  }

  #failure(
    stream: ClientHttp2Stream,
    head: IncomingHttpHeaders,
    error: unknown,
  ): unknown {
    const { text } = this.endpoint;
    const code = stream.rstCode ?? NGHTTP2_NO_ERROR;
    const refused = code === NGHTTP2_REFUSED_STREAM ||
      (stream.id ?? 0) > this.#lastStream;
    if (refused) return new NotSentError();
    const httpStatus = Number(head[":status"] ?? 200);
    if (httpStatus !== 200) return httpError(text, httpStatus);
    if (error instanceof RpcError) return error;
    if (this.#session.destroyed) return this.#lostError(error);
    if (code !== NGHTTP2_NO_ERROR) return resetError(text, code);
    return error ?? new RpcError(
      "INTERNAL",
      `"${text}" ended the call without a status`,
    );
  }

  #lostError(error: unknown): ConnectError {
    return new ConnectError(
      "reset",
      `Connection to "${this.endpoint.text}" was lost during the call`,
      { cause: this.#lost ?? error },
    );
  }

  #enter(): void {
    this.#calls++;
    this.#ping ??= setInterval(() => this.#check(), pingEveryMs);
  }

  #leave(): void {
    this.#calls--;
    if (this.#calls === 0) this.#stopPing();
  }

  #check(): void {
    const timer = setTimeout(() => this.#session.destroy(), pingTimeoutMs);
    this.#session.ping(() => clearTimeout(timer));
  }

  #stopPing(): void {
    clearInterval(this.#ping);
    this.#ping = undefined;
  }
}

function cancel(stream: ClientHttp2Stream, reason?: unknown): void {
  if (stream.destroyed) return;
  if (!stream.closed) stream.close(NGHTTP2_CANCEL);
  stream.destroy(reason as Error | undefined); // raised as it is
}

async function send(
  stream: ClientHttp2Stream,
  requests: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const message of requests) {
      if (stream.destroyed) return;
      if (!stream.write(frame(message))) await drained(stream);
    }
    stream.end();
  } catch (error) {
    cancel(stream, error);
  }
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    stream.once("drain", resolve);
    stream.once("close", resolve);
  });
}
