/** One connection to an endpoint, and the gRPC calls on it. */

import { ConnectError, OsctlError, RpcError } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { frame, type MessageReader } from "../call/frames.ts";
import type { ByteStream } from "../http2/byte_stream.ts";
import { errorCode } from "../http2/frame.ts";
import type { HeaderField } from "../http2/header_table.ts";
import { Http2Session } from "../http2/session.ts";
import type { Http2Stream, StreamFailure } from "../http2/stream.ts";
import {
  defaultKeepAlive,
  type KeepAlive,
  keepAlive,
  type KeepAliveOptions,
} from "./keep_alive.ts";
import type { Metadata } from "../call/metadata.ts";
import {
  decodeMessage,
  httpError,
  resetError,
  statusError,
  unreadable,
} from "./status.ts";
import { noteWait } from "../../lib/timer.ts";
import { lostHint } from "./status_text.ts";

/** The request did not reach the server; it can be sent to another endpoint. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

interface ConnectionOptions {
  readonly endpoint: Endpoint;
  /** Aborts the wait for the server's settings. */
  readonly signal: AbortSignal;
  /** Common name in the server certificate. */
  readonly peerName?: string | undefined;
  /** Pings during calls; default every 20 s. */
  readonly keepAlive?: KeepAliveOptions;
}

/** One request of a call. */
export interface PendingCall {
  readonly path: string;
  readonly metadata: Metadata;
  /** Encoded message, or a stream of encoded messages. */
  readonly request: Uint8Array | AsyncIterable<Uint8Array>;
  /** Cancels the call, which throws the abort reason. */
  readonly signal: AbortSignal;
}

/** An open connection. */
export class Connection {
  readonly #session: Http2Session;
  readonly #keepAlive: KeepAlive;
  readonly #authority: string;
  #calls = 0;
  #doubtful = false;

  readonly endpoint: Endpoint;
  /** Common name in the server certificate. */
  readonly peerName: string | undefined;

  private constructor(
    session: Http2Session,
    { endpoint, peerName, keepAlive: pings = defaultKeepAlive }:
      ConnectionOptions,
  ) {
    this.#session = session;
    this.#keepAlive = keepAlive(session, pings);
    this.#authority = endpoint.text.replace(/%[^\]]*/, ""); // no zone
    this.endpoint = endpoint;
    this.peerName = peerName;
  }

  /**
   * Starts HTTP/2.
   *
   * Waits for the server's settings: they are sent only after our certificate was accepted.
   *
   * @param bytes Stream after the TLS handshake; closed with the connection.
   */
  static async open(
    bytes: ByteStream,
    options: ConnectionOptions,
  ): Promise<Connection> {
    const session = await Http2Session.open(bytes, options.signal);
    // Waits for the server, and for the TLS random generator on another thread.
    noteWait();
    return new Connection(session, options);
  }

  /** False if it accepts no more calls. */
  get usable(): boolean {
    return this.#session.usable;
  }

  /** True if a call timed out and no data was received since. */
  get doubtful(): boolean {
    return this.#doubtful;
  }

  /** Closes the connection and fails all calls on it. */
  close(): void {
    this.#keepAlive.stop();
    this.#session.destroy(new Error("The connection was closed here"));
  }

  /**
   * Makes a call.
   *
   * @param reader Decodes the bytes of the response.
   * @returns New results, at least one; leaving the loop cancels the call.
   * @throws {NotSentError} Before the first message, if the server did not accept the request.
   * @throws {RpcError} If the status is not OK, or the reader rejects the response.
   * @throws {ConnectError} If the connection was lost.
   */
  async *read<T>(
    call: PendingCall,
    reader: MessageReader<T>,
  ): AsyncGenerator<readonly T[]> {
    call.signal.throwIfAborted();
    if (!this.usable) throw new NotSentError();
    const answer = new PendingReply(this.endpoint.text, reader);
    const stream = this.#session.request(this.#fields(call), answer);
    answer.stream = stream;
    const abort = () => answer.stop(call.signal.reason);
    call.signal.addEventListener("abort", abort);
    this.#enter();
    try {
      send(stream, answer, call.request);
      yield* answer.messages();
    } finally {
      if (isDeadline(call.signal)) this.#doubt();
      this.#leave();
      call.signal.removeEventListener("abort", abort);
      stream.cancel(errorCode.cancel);
    }
  }

  #fields({ path, metadata }: PendingCall): readonly HeaderField[] {
    return [
      [":method", "POST"],
      [":scheme", "https"],
      [":path", path],
      [":authority", this.#authority],
      ["content-type", "application/grpc"],
      ["te", "trailers"],
      ["user-agent", "osctl"],
      ...Object.entries(metadata),
    ];
  }

  #enter(): void {
    this.#calls++;
    this.#keepAlive.start();
  }

  #leave(): void {
    this.#calls--;
    this.#rest();
  }

  /** Pings at once: calls that time out before the next ping would never detect a lost connection. */
  #doubt(): void {
    if (!this.usable) return;
    this.#doubtful = true;
    this.#keepAlive.ask(() => {
      this.#doubtful = false;
      this.#rest();
    });
  }

  #rest(): void {
    const isIdle = this.#calls === 0 && !this.#doubtful;
    if (isIdle || !this.usable) this.#keepAlive.stop();
  }
}

class PendingReply<T> {
  readonly #endpoint: string;
  readonly #reader: MessageReader<T>;
  readonly #head = new Map<string, string>();
  #messages: T[] = [];
  #unread = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  stream: Http2Stream | undefined;

  constructor(endpoint: string, reader: MessageReader<T>) {
    this.#endpoint = endpoint;
    this.#reader = reader;
  }

  stop(error: unknown): void {
    this.#finish({ error });
    this.stream?.cancel(errorCode.cancel);
  }

  headers(fields: readonly HeaderField[]): void {
    // Trailers take precedence, so the last value wins.
    for (const [name, value] of fields) this.#head.set(name, value);
    const status = Number(this.#head.get(":status"));
    if (status !== 200 && !this.#head.has("grpc-status")) {
      this.stop(httpError(this.#endpoint, status));
    }
  }

  data(bytes: Uint8Array): void {
    this.#unread += bytes.length;
    try {
      for (const one of this.#reader.read(bytes)) this.#messages.push(one);
    } catch (error) {
      this.stop(error instanceof OsctlError ? error : unreadable(error));
    }
    this.#wake();
  }

  ended(): void {
    const error = this.#statusError();
    this.#finish(error === undefined ? {} : { error });
  }

  failed(failure: StreamFailure): void {
    const known = this.#head.has("grpc-status") && this.#statusError();
    this.#finish({ error: known || this.#errorOf(failure) });
  }

  async *messages(): AsyncGenerator<readonly T[]> {
    while (true) {
      const size = this.#unread;
      this.#unread = 0;
      const messages = [...this.#messages, ...this.#reader.flush?.() ?? []];
      this.#messages = [];
      if (messages.length > 0) yield messages;
      if (size > 0) this.stream?.consumed(size);
      if (this.#unread > 0) continue;
      if (this.#end !== undefined) break;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if ("error" in this.#end) throw this.#end.error;
    this.#reader.end();
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#wake();
  }

  #statusError(): unknown {
    const status = this.#head.get("grpc-status");
    if (status === "0") return undefined;
    if (status === undefined) {
      return new RpcError(
        "UNAVAILABLE",
        `"${this.#endpoint}" ended the call without a status`,
      );
    }
    const message = this.#head.get("grpc-message") ?? "";
    return statusError(Number(status), decodeMessage(message));
  }

  #errorOf(failure: StreamFailure): unknown {
    switch (failure.kind) {
      case "not-sent":
        return new NotSentError();
      case "reset":
        return failure.code === errorCode.noError
          ? this.#statusError()
          : resetError(this.#endpoint, failure.code);
      case "refused":
        return new RpcError(
          "DATA_LOSS",
          `The response from "${this.#endpoint}" cannot be read: ${failure.why}`,
        );
      case "lost":
        return new ConnectError(
          "lost",
          `Connection to "${this.#endpoint}" was lost during the call`,
          { cause: failure.cause, hint: lostHint },
        );
    }
  }
}

function isDeadline({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof RpcError &&
    reason.code === "DEADLINE_EXCEEDED";
}

async function send(
  stream: Http2Stream,
  answer: PendingReply<unknown>,
  request: PendingCall["request"],
): Promise<void> {
  if (request instanceof Uint8Array) return stream.end(frame(request));
  try {
    for await (const message of request) {
      if (stream.closed) return;
      await stream.write(frame(message));
    }
    stream.end();
  } catch (error) {
    answer.stop(error);
  }
}
