/** A client for tests of the simulator: speaks gRPC and knows nothing of osctl. */

import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import { type RpcCode, rpcCode, RpcError } from "../../errors.ts";
import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import type { ClientCredentials } from "../../simulator/state/identities.ts";
import type { Method, Transport } from "../../transport/call/call.ts";
import { type NodeClient, nodeClient } from "../../transport/call/client.ts";

export interface TestClientOptions {
  /** `host:port`. */
  readonly endpoint: string;
  /** Certificates; omitted, the client shows none and believes any server. */
  readonly identity?: ClientCredentials;
  /** Request metadata, such as `node` and `nodes`. */
  readonly metadata?: Readonly<Record<string, readonly string[]>>;
}

/** A client that a test has to close. */
export interface TestClient extends NodeClient, Disposable {
  readonly transport: Transport;
}

/** Makes a client; connects on the first call. */
export function testClient(options: TestClientOptions): TestClient {
  const client = new Client(options.endpoint, channel(options.identity), {
    "grpc.ssl_target_name_override": "node",
    "grpc.max_receive_message_length": 32 * 2 ** 20,
    "grpc.use_local_subchannel_pool": 1,
    // Its timer runs on when a client is closed that could not connect.
    "grpc.initial_reconnect_backoff_ms": 1,
    "grpc.max_reconnect_backoff_ms": 1,
  });
  const transport = toTransport(client, options.metadata ?? {});
  // Its services are read from its prototype.
  return Object.assign(nodeClient("endpoint", transport, {}), {
    transport,
    [Symbol.dispose]: () => client.close(),
  });
}

function channel(identity: ClientCredentials | undefined): ChannelCredentials {
  if (!identity) {
    return credentials.createSsl(null, null, null, {
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
  }
  return credentials.createSsl(
    Buffer.from(identity.ca),
    // The platform does not read the label that nodes use for keys.
    Buffer.from(encodePkcs8(decodePrivateKey(identity.key))),
    Buffer.from(identity.crt),
    { checkServerIdentity: () => undefined },
  );
}

function toTransport(
  client: Client,
  headers: Readonly<Record<string, readonly string[]>>,
): Transport {
  const metadata = new Metadata();
  for (const [key, values] of Object.entries(headers)) {
    for (const value of values) metadata.add(key, value);
  }
  return {
    unary: (method, request) =>
      method.requestStream
        ? upload(client, metadata, method, request)
        : unary(client, metadata, method, request),
    stream: (method, request, { signal }) =>
      stream(client, metadata, method, request, signal),
    close: () => client.close(),
  };
}

function unary<Request, Response>(
  client: Client,
  metadata: Metadata,
  method: Method<Request, Response>,
  request: unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      (message: Request) =>
        Buffer.from(method.requestType.encode(message).finish()),
      (bytes) => method.responseType.decode(bytes),
      request as Request, // streams of requests are for `upload`
      metadata,
      (error, response) => error ? reject(failure(error)) : resolve(response!), // one of both is set
    );
  });
}

function upload<Request, Response>(
  client: Client,
  metadata: Metadata,
  method: Method<Request, Response>,
  requests: unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = client.makeClientStreamRequest(
      method.path,
      (message: Request) =>
        Buffer.from(method.requestType.encode(message).finish()),
      (bytes) => method.responseType.decode(bytes),
      metadata,
      (error, response) => error ? reject(failure(error)) : resolve(response!), // one of both is set
    );
    (async () => {
      // The input of this method is a stream.
      for await (const one of requests as AsyncIterable<Request>) {
        call.write(one);
      }
      call.end();
    })();
  });
}

async function* stream<Request, Response>(
  client: Client,
  metadata: Metadata,
  method: Method<Request, Response>,
  request: unknown,
  signal: AbortSignal | undefined,
): AsyncGenerator<Response> {
  const call = client.makeServerStreamRequest(
    method.path,
    (message: Request) =>
      Buffer.from(method.requestType.encode(message).finish()),
    (bytes) => method.responseType.decode(bytes),
    request as Request,
    metadata,
  );
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel);
  // A stream that fails forgets what was not read yet; this queue does not.
  const queue: (Response | RpcError | undefined)[] = [];
  let wake = () => {};
  const add = (item: Response | RpcError | undefined) => {
    queue.push(item);
    wake();
  };
  call.on("error", () => {}); // the status says it too
  call.on("data", add);
  call.on("status", (end) => add(end.code === 0 ? undefined : failure(end)));
  try {
    while (true) {
      // One after the other is what a stream is.
      if (queue.length === 0) await new Promise<void>((go) => wake = go);
      const item = queue.shift();
      if (item === undefined || signal?.aborted) return;
      if (item instanceof RpcError) throw item;
      yield item;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    call.cancel();
  }
}

function failure(
  { code, details }: Pick<ServiceError, "code" | "details">,
): RpcError {
  const [name] = Object.entries(rpcCode).find(([, value]) => value === code)!;
  return new RpcError(name as RpcCode, details); // a key of the table
}
