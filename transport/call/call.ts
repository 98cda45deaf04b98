/** Transport interface: one call to one method, unary or streaming. */

import type { MessageReader } from "./frames.ts";

/** Generated code of one message type. */
export interface MessageType<T> {
  readonly encode: (message: T) => {
    /** Returns the encoded bytes. */
    finish(): Uint8Array;
  };
  /** Decodes a message. Throws `Error` if the bytes are not a valid message. */
  readonly decode: (bytes: Uint8Array) => T;
}

/** One method of a service, from the generated definitions. */
export interface Method<Request, Response> {
  /** HTTP/2 path: `/machine.MachineService/Version`. */
  readonly path: string;
  readonly requestType: MessageType<Request>;
  /** True when the client sends a stream. */
  readonly requestStream: boolean;
  readonly responseType: MessageType<Response>;
  /** True when the server sends a stream. */
  readonly responseStream: boolean;
}

/** Options of a call. */
export interface CallOptions {
  /** Node to forward the call to; default the endpoint itself. */
  readonly node?: string;
  /** Address of that node, if `node` is not an address. */
  readonly address?: string;
  readonly signal?: AbortSignal;
  /** Timeout of the call in milliseconds; default none. */
  readonly deadlineMs?: number;
  /** Timeout for the next message of a stream, in milliseconds; default none. */
  readonly silenceMs?: number;
  /** True if the user does not wait for its first message, as in a terminal session. */
  readonly interactive?: boolean;
}

/** Key of the raw reader of replies, for callers that decode the bytes themselves. */
export const unreadAnswers: unique symbol = Symbol("unread answers");

/** Key of the function that opens replies whose message types are not loaded yet. */
export const unopenedAnswers: unique symbol = Symbol("unopened answers");

/** Replies of a streaming method whose call has not started. */
export interface CallReplies<Response> extends AsyncIterable<Response> {
  /** Loads the message types and returns the same replies; use instead of iterating over these. */
  readonly [unopenedAnswers]?: () => Promise<CallReplies<Response>>;
  /** Reads the raw bytes instead; absent if the replies do not come from a connection. */
  readonly [unreadAnswers]?: {
    /** Message type, to compare with a generated one. */
    readonly type: unknown;
    /** Starts the call; yields the reader's new results. */
    readonly read: <T>(
      reader: MessageReader<T>,
    ) => AsyncGenerator<readonly T[]>;
  };
}

/**
 * Sends calls to endpoints.
 *
 * Throws `RpcError` if a node answered with an error status, `ConnectError` if no endpoint could be reached.
 */
export interface Transport {
  readonly unary: <Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ) => Promise<Response>;
  /** One or many requests, many responses; leaving the loop cancels the call. */
  readonly stream: <Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ) => CallReplies<Response>;
  /** Closes all connections; pending calls fail. */
  readonly close: () => void;
}
