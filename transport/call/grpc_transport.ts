import { RpcError } from "../../errors.ts";
import {
  type CallOptions,
  type CallReplies,
  type MessageType,
  type Method,
  type Transport,
  unreadAnswers,
} from "./call.ts";
import {
  type Connection,
  NotSentError,
  type PendingCall,
} from "../connect/connection.ts";
import {
  failedAt,
  forwardingError,
  isUnforwarded,
  neverSent,
  roleError,
  unreadable,
} from "../connect/status.ts";
import {
  findDeadline,
  type Silence,
  withDeadline,
  withSilence,
} from "./deadline.ts";
import { frameReader, maxMessage, type MessageReader } from "./frames.ts";
import { type Caller, requestMetadata } from "./metadata.ts";
import { type OpenCall, openCalls } from "./open_calls.ts";
import { Detours, type Pool } from "../connect/pool.ts";

/** Maximum number of connections to try when servers do not accept a request. */
const maxOffers = 3;

/** Creates a transport. `pool`: closed with the transport. */
export function grpcTransport(
  pool: Pool<Connection>,
  caller: Caller,
): Transport {
  const shared: SharedWays = { pool, caller, detours: new Detours() };

  async function* readReplies<Request, Response, T>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
    reader: MessageReader<T>,
    answered: Answered = { endpoint: "" },
  ): AsyncGenerator<readonly T[]> {
    const { silenceMs = 0 } = options;
    const silence = silenceMs > 0 ? withSilence(silenceMs) : undefined;
    const { signal, clear } = withDeadline(
      silence === undefined ? options : bothEnd(options, silence),
    );
    const waiting: OpenCall = {
      node: options.node ?? "",
      isConnected: false,
      timeoutMs: Math.min(
        findDeadline(options.signal),
        options.deadlineMs || Infinity,
        silenceMs || Infinity,
      ),
    };
    if (!options.interactive) openCalls.add(waiting);
    const node = options.address ?? options.node ?? "";
    try {
      const call: OfferedCall = {
        path: method.path,
        node,
        metadata: await requestMetadata(method.path, caller, node),
        request: encodeRequest(method, request),
        signal,
        carried(endpoint) {
          waiting.isConnected = true;
          answered.endpoint = endpoint;
        },
      };
      for await (const batch of offer(shared, call, reader)) {
        openCalls.delete(waiting);
        silence?.heard();
        yield batch;
        silence?.wait();
      }
    } catch (error) {
      const known = forwardingError(error, answered.endpoint);
      throw failedAt(roleError(known, method.path), waiting.node);
    } finally {
      openCalls.delete(waiting);
      clear();
      silence?.clear();
    }
  }

  async function* decodedEach<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): AsyncGenerator<Response> {
    const reader = frameReader(maxMessage);
    const from = { endpoint: "", node: options.node };
    for await (
      const batch of readReplies(method, request, options, reader, from)
    ) {
      for (const message of batch) yield decodeReply(method, message, from);
    }
  }

  function stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): CallReplies<Response> {
    return Object.assign(decodedEach(method, request, options), {
      [unreadAnswers]: {
        type: method.responseType,
        read: <T>(reader: MessageReader<T>) =>
          readReplies(method, request, options, reader),
      },
    });
  }

  async function unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): Promise<Response> {
    const answers: Response[] = [];
    const reader = frameReader(maxMessage);
    const from = { endpoint: "", node: options.node };
    for await (
      const batch of readReplies(method, request, options, reader, from)
    ) {
      answers.push(
        ...batch.map((message) => decodeReply(method, message, from)),
      );
    }
    const [answer] = answers;
    if (answer !== undefined && answers.length === 1) return answer;
    throw new RpcError(
      "DATA_LOSS",
      `${method.path} answered with ${answers.length} messages instead of one`,
    );
  }

  return { stream, unary, close: () => pool.close() };
}

function bothEnd(options: CallOptions, silence: Silence): CallOptions {
  const signals = [options.signal, silence.signal].filter((one) =>
    one !== undefined
  );
  return { ...options, signal: AbortSignal.any(signals) };
}

interface SharedWays {
  readonly pool: Pool<Connection>;
  readonly caller: Caller;
  readonly detours: Detours;
}

/** A call with its target node. */
interface OfferedCall extends PendingCall {
  /** Node to forward the call to; empty for the endpoint itself. */
  readonly node: string;
  /** Called with each endpoint before the call is sent to it. */
  readonly carried: (endpoint: string) => void;
}

/**
 * Tries one connection after the other until a server accepts the request and reaches its node.
 *
 * A control plane that is an endpoint gets its own reset directly: when several are reset at once, another one may go
 * down before it has forwarded the request.
 */
async function* offer<T>(
  { pool, caller: { leave }, detours }: SharedWays,
  call: OfferedCall,
  reader: MessageReader<T>,
): AsyncGenerator<readonly T[]> {
  const { node, signal } = call;
  const tried = new Set<string>();
  const acquire = () =>
    pool.acquire(
      signal,
      detours.avoided(node),
      call.path.endsWith("/Reset") ? node : undefined,
    );
  let connection = await acquire();
  for (let offers = 1;; offers++) {
    const { text } = connection.endpoint;
    call.carried(text);
    // Last, since connecting may take long.
    await leave?.(call.path);
    try {
      yield* connection.read(call, reader);
      return detours.reached(node, text);
    } catch (error) {
      const isRefused = error instanceof NotSentError;
      const isStranded = node !== "" && isUnforwarded(error);
      if (isStranded || signal.aborted) detours.failed(node, text);
      if (!isRefused && !isStranded) throw error;
      if (isStranded) tried.add(text);
      const next = !(call.request instanceof Uint8Array)
        ? undefined
        : isStranded
        ? await pool.acquireOther(signal, tried)
        : offers < maxOffers
        ? await acquire()
        : undefined;
      if (next === undefined) throw isStranded ? error : notTaken(text, error);
      connection = next;
    }
  }
}

function notTaken(endpoint: string, cause: unknown): RpcError {
  const text = `"${endpoint}" takes no more calls`;
  return neverSent(new RpcError("UNAVAILABLE", text, { cause }));
}

function encodeRequest<Request>(
  { requestStream, requestType }: Pick<
    Method<Request, never>,
    "requestStream" | "requestType"
  >,
  request: Request | AsyncIterable<Request>,
): Uint8Array | AsyncIterable<Uint8Array> {
  if (!requestStream) return requestType.encode(request as Request).finish();
  return encodedEach(requestType, request as AsyncIterable<Request>);
}

async function* encodedEach<Request>(
  { encode }: MessageType<Request>,
  requests: AsyncIterable<Request>,
): AsyncGenerator<Uint8Array> {
  for await (const request of requests) yield encode(request).finish();
}

function decodeReply<Response>(
  { responseType }: Pick<Method<never, Response>, "responseType">,
  message: Uint8Array,
  { node = "", endpoint }: Answered,
): Response {
  try {
    return responseType.decode(message);
  } catch (cause) {
    throw failedAt(unreadable(cause, node === "" ? endpoint : ""), node);
  }
}

interface Answered {
  /** Endpoint that received the call; empty before it was sent. */
  endpoint: string;
  /** Target node; absent for the endpoint itself. */
  readonly node?: string | undefined;
}
