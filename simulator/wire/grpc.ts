/** Carries calls between gRPC and a simulated node. */

import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type Server,
  type ServerWritableStream,
  status,
} from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import { rolesKey } from "../../dialect.ts";
import { rpcCode, RpcError } from "../../errors.ts";
import type { MethodRoute } from "./handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import { answerCall, type IncomingCall } from "./proxy.ts";
import type { Roles } from "../node/roles.ts";

/** What a server knows when a call comes in. */
export interface GrpcEndpoint {
  /** Node that is called. */
  readonly node: SimulatedNode;
  /** Roles in the certificate of a peer, spelled `address:port`. */
  readonly rolesOf: (peer: string) => Roles | undefined;
}

/** Registers one method with a server. */
export function registerMethod(
  server: Server,
  route: MethodRoute,
  endpoint: GrpcEndpoint,
): void {
  const { path, definition } = route;
  const { requestStream, responseStream, requestType, responseType } =
    definition;
  const handler = responseStream
    ? streaming(route, endpoint)
    : unary(route, endpoint); // also where the request is a stream
  server.register(
    path,
    // The handler fits the kind of method, which the union hides.
    handler as handleUnaryCall<unknown, unknown>,
    (message) =>
      // Bytes stand for themselves: a fault made them.
      bufferOf(
        message instanceof Uint8Array
          ? message
          : responseType.encode(responseType.fromPartial(message)).finish(),
      ),
    (bytes) => requestType.decode(bytes),
    requestStream
      ? responseStream ? "bidi" : "clientStream"
      : responseStream
      ? "serverStream"
      : "unary",
  );
}

function unary(
  route: MethodRoute,
  endpoint: GrpcEndpoint,
): handleUnaryCall<unknown, unknown> {
  return async (call, callback) => {
    try {
      const incoming = incomingOf(route, call, endpoint);
      for await (const message of answerCall(endpoint.node, incoming)) {
        return callback(null, message);
      }
    } catch (error) {
      callback(statusOf(error));
    }
  };
}

function streaming(
  route: MethodRoute,
  endpoint: GrpcEndpoint,
): handleServerStreamingCall<unknown, unknown> {
  return async (call) => {
    const incoming = incomingOf(route, call, endpoint);
    try {
      for await (const message of answerCall(endpoint.node, incoming)) {
        if (!call.write(message)) await untilDrained(call, incoming.signal);
        if (incoming.signal.aborted) return;
      }
      call.end();
    } catch (error) {
      call.emit("error", statusOf(error));
    }
  };
}

function incomingOf(
  route: MethodRoute,
  call: {
    readonly metadata: Metadata;
    readonly request: unknown;
    readonly getPeer: () => string;
    readonly on: (event: "cancelled", listener: () => void) => unknown;
  },
  { rolesOf }: GrpcEndpoint,
): IncomingCall {
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  const { metadata } = call;
  return {
    route,
    // A stream of requests is the call itself.
    request: route.definition.requestStream ? call : call.request,
    roles: rolesIn(metadata, rolesOf(call.getPeer()) ?? new Set()),
    signal: controller.signal,
    node: valuesOf(metadata, "node"),
    nodes: valuesOf(metadata, "nodes"),
  };
}

/** Callers with the impersonator role may name the roles they want to be seen with. */
function rolesIn(metadata: Metadata, roles: Roles): Roles {
  if (!roles.has("os:impersonator")) return roles;
  const wanted = valuesOf(metadata, rolesKey);
  return wanted ? new Set(wanted) : roles;
}

/** HTTP/2 hands a repeated header over as one, joined. */
function valuesOf(
  metadata: Metadata,
  key: string,
): readonly string[] | undefined {
  const values = metadata.get(key).flatMap((value) =>
    String(value).split(", ")
  );
  return values.length === 0 ? undefined : values;
}

function untilDrained(
  call: ServerWritableStream<unknown, unknown>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    call.once("drain", done);
    signal.addEventListener("abort", done);
  });
}

function statusOf(error: unknown): { code: number; details: string } {
  if (error instanceof RpcError) {
    return { code: rpcCode[error.code], details: error.message };
  }
  return { code: status.INTERNAL, details: `simulator: ${error}` };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
