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
import "./late_end.ts";
import {
  defaultKeepAlive,
  type KeepAlive,
  keepAlive,
  type KeepAliveOptions,
} from "./keep_alive.ts";
import type { Metadata } from "./metadata.ts";
import { decodeMessage, httpError, resetError, statusError } from "./status.ts";
import { untilEvent } from "./until_event.ts";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** Longest message that is read, in bytes; what nodes send at most. */
const maxMessage = 32 * 1024 * 1024;

/** Bytes that may be under way before we read them; for the connection and for each call. */
const window = 2 * 1024 * 1024;

/** The request did not reach the server, so that another endpoint may be asked. */
export class NotSentError extends Error {
  /** Name of the class. */
  override readonly name = "NotSentError";
}

/** What a connection is told. */
export interface ConnectionOptions {
  /** Where it leads. */
  readonly endpoint: Endpoint;
  /** Ends the wait for the server's settings. */
  readonly signal: AbortSignal;
  /** Pings while calls are under way; default every 310 s. */
  readonly keepAlive?: KeepAliveOptions;
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

/** A call under way. */
interface Exchange {
  readonly stream: ClientHttp2Stream;
  /** Headers of the answer. */
  head: IncomingHttpHeaders;
  /** Trailers of the answer. */
  tail: IncomingHttpHeaders;
  /** Why this side ended the call. */
  reason?: unknown;
}

/** An open connection. */
export class Connection {
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #keepAlive: KeepAlive;
  #calls = 0;
  #leaving = false;
  #error: unknown;

  /** Where it leads. */
  readonly endpoint: Endpoint;

  private constructor(
    session: ClientHttp2Session,
    socket: TLSSocket,
    { endpoint, keepAlive: pings = defaultKeepAlive }: ConnectionOptions,
  ) {
    this.#session = session;
    this.#socket = socket;
    this.#keepAlive = keepAlive(session, pings);
    this.endpoint = endpoint;
    session.on("error", (error: unknown) => this.#error = error);
    session.on("goaway", () => this.#leaving = true);
    session.on("close", this.#keepAlive.stop);
  }

  /**
   * Starts HTTP/2.
   *
   * Waits for the settings of the server: it sends them only after it took our certificate.
   *
   * @param socket After its handshake.
   * @param options Where it leads.
   */
  static async open(
    socket: TLSSocket,
    options: ConnectionOptions,
  ): Promise<Connection> {
    const authority = options.endpoint.text.replace(/%[^\]]*/, ""); // no zone
    const session = connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: window },
      maxSessionMemory: 1024, // in megabytes; each call is bounded by its window
    });
    const connection = new Connection(session, socket, options);
    try {
      await untilEvent(session, "remoteSettings", options.signal);
    } catch (error) {
      session.destroy();
      throw error;
    }
    session.setLocalWindowSize(window);
    return connection;
  }

  /** False when it takes no more calls. */
  get usable(): boolean {
    return !this.#leaving && !this.#lost && !this.#session.closed;
  }

  /** Common name in the certificate of who answered. */
  get peerName(): string | undefined {
    const { CN } = this.#socket.getPeerCertificate().subject ?? {};
    return typeof CN === "string" ? CN : undefined;
  }

  /** Ends the connection and all calls on it. */
  close(): void {
    this.#keepAlive.stop();
    // The socket first: saying good-bye while streams are being closed can bring down the runtime's HTTP/2.
    this.#socket.destroy();
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
    if (!this.usable) throw new NotSentError();
    const stream = this.#request(call);
    const exchange: Exchange = { stream, head: {}, tail: {} };
    const abort = () => end(exchange, call.signal.reason);
    call.signal.addEventListener("abort", abort);
    this.#enter();
    try {
      send(exchange, call.request);
      yield* this.#answers(exchange);
    } catch (error) {
      throw await this.#failure(exchange, error);
    } finally {
      this.#leave();
      call.signal.removeEventListener("abort", abort);
      end(exchange);
    }
  }

  #request({ path, metadata }: Call): ClientHttp2Stream {
    return this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      "te": "trailers",
      "user-agent": "osctl",
      ...metadata,
    });
  }

  async *#answers(exchange: Exchange): AsyncGenerator<Uint8Array> {
    const { stream } = exchange;
    stream.on("error", () => {}); // raised to whoever reads the stream
    stream.on("response", (headers) => exchange.head = headers);
    stream.on("trailers", (headers) => exchange.tail = headers);
    const reader = frameReader(maxMessage);
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      yield* reader.read(chunk);
    }
    const { head, tail } = exchange;
    const status = tail["grpc-status"] ?? head["grpc-status"];
    if (status === undefined) throw this.#withoutStatus();
    if (status !== "0") {
      const message = tail["grpc-message"] ?? head["grpc-message"] ?? "";
      throw statusError(Number(status), decodeMessage(String(message)));
    }
    reader.end();
  }

  /** Finds the cause behind what reading a stream raised. */
  async #failure(exchange: Exchange, error: unknown): Promise<unknown> {
    const { stream, reason, head, tail } = exchange;
    if (reason !== undefined) return reason;
    if ("grpc-status" in head || "grpc-status" in tail) return error;
    const code = stream.rstCode ?? NGHTTP2_NO_ERROR;
    // Streams behind the last one of a GOAWAY end the same way.
    if (code === NGHTTP2_REFUSED_STREAM) return new NotSentError();
    const status = Number((await headOf(exchange))[":status"] ?? 200);
    if (status !== 200) return httpError(this.endpoint.text, status);
    if (this.#lost) return this.#lostError(error);
    if (code !== NGHTTP2_NO_ERROR) return resetError(this.endpoint.text, code);
    return error;
  }

  get #lost(): boolean {
    return this.#socket.destroyed || this.#session.destroyed;
  }

  #withoutStatus(): RpcError {
    return new RpcError(
      "INTERNAL",
      `"${this.endpoint.text}" ended the call without a status`,
    );
  }

  #lostError(error: unknown): ConnectError {
    return new ConnectError(
      "reset",
      `Connection to "${this.endpoint.text}" was lost during the call`,
      { cause: this.#error ?? error },
    );
  }

  #enter(): void {
    this.#calls++;
    this.#keepAlive.start();
  }

  #leave(): void {
    this.#calls--;
    if (this.#calls === 0) this.#keepAlive.stop();
  }
}

/** Ends a call that is still under way. */
function end(exchange: Exchange, reason?: unknown): void {
  const { stream } = exchange;
  exchange.reason ??= reason;
  if (!stream.closed) stream.close(NGHTTP2_CANCEL);
  if (!stream.destroyed) stream.destroy();
}

/** Sends the request beside reading the answers. */
async function send(
  exchange: Exchange,
  request: Call["request"],
): Promise<void> {
  const { stream } = exchange;
  if (request instanceof Uint8Array) return void stream.end(frame(request));
  try {
    for await (const message of request) {
      if (stream.destroyed) return;
      if (!stream.write(frame(message))) await drained(stream);
    }
    stream.end();
  } catch (error) {
    end(exchange, error);
  }
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    stream.once("drain", resolve);
    stream.once("close", resolve);
  });
}

/** Headers of the answer; they may be announced after its first bytes. */
async function headOf(exchange: Exchange): Promise<IncomingHttpHeaders> {
  const { stream, head } = exchange;
  if (head[":status"] !== undefined || stream.destroyed) return head;
  await new Promise((resolve) => {
    stream.once("response", resolve);
    stream.once("close", resolve);
  });
  return exchange.head;
}
