/** The seam of the transport: one call to one method, unary or streaming. */

import type { MessageReader } from "./frames.ts";

/** Generated code of one message type. */
export interface MessageType<T> {
  readonly encode: (message: T) => {
    /** The bytes written. */
    finish(): Uint8Array;
  };
  /** Reads a message. Throws `Error` when the bytes are no such message. */
  readonly decode: (bytes: Uint8Array) => T;
}

/** One method of a service, as the generated definitions describe it. */
export interface Method<Request, Response> {
  /** HTTP/2 path: `/machine.MachineService/Version`. */
  readonly path: string;
  /** Type of the request or of each request. */
  readonly requestType: MessageType<Request>;
  /** True when the client sends a stream. */
  readonly requestStream: boolean;
  /** Type of the response or of each response. */
  readonly responseType: MessageType<Response>;
  /** True when the server sends a stream. */
  readonly responseStream: boolean;
}

/** What one call may carry beside its request. */
export interface CallOptions {
  /** Node the endpoint forwards to; omitted, the endpoint answers itself. */
  readonly node?: string;
  /** Where that node is, in case it is not named by its address. */
  readonly address?: string;
  readonly signal?: AbortSignal;
  /** Longest time to the end of the call in milliseconds; omitted, none. */
  readonly deadlineMs?: number;
  /** Longest wait for the next message of a stream, in milliseconds; omitted, none. */
  readonly silenceMs?: number;
}

/** Key of what answers offer who wants to read their bytes in another way. */
export const unreadAnswers: unique symbol = Symbol("unread answers");

/** Key of what opens answers whose messages are not loaded yet. */
export const unopenedAnswers: unique symbol = Symbol("unopened answers");

/** Answers of a streaming method whose call has not started. */
export interface CallReplies<Response> extends AsyncIterable<Response> {
  /** Loads their messages and gives the same answers, instead of a loop over these. */
  readonly [unopenedAnswers]?: () => Promise<CallReplies<Response>>;
  /** Reads them from the wire instead; absent where they did not come from one. */
  readonly [unreadAnswers]?: {
    /** Type of each, for comparison with a generated one. */
    readonly type: unknown;
    /** Begins the call; yields all that a reader has made of the bytes since the last time. */
    readonly read: <T>(
      reader: MessageReader<T>,
    ) => AsyncGenerator<readonly T[]>;
  };
}

/**
 * Carries calls to endpoints.
 *
 * Raises `RpcError` when a node answered with a status, `ConnectError` when none could be reached.
 */
export interface Transport {
  readonly unary: <Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ) => Promise<Response>;
  /** One or many requests, many responses; leaving the loop ends the call. */
  readonly stream: <Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ) => CallReplies<Response>;
  /** Closes all connections; calls under way fail. */
  readonly close: () => void;
}
