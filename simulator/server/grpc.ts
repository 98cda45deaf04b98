/** Serves the gRPC calls of a simulated node. */

import { rolesKey } from "../../talos.ts";
import { rpcCode, RpcError } from "../../errors.ts";
import { frame, frameReader, maxMessage } from "../../transport/call/frames.ts";
import type { HeaderField } from "../../transport/http2/header_table.ts";
import { after } from "../../lib/timer.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { Roles } from "../state/roles.ts";
import { routes } from "../services/mod.ts";
import type { MethodRoute } from "../services/handlers.ts";
import type { ServedStream } from "../wire/http2_server.ts";
import { answerCall } from "./proxy.ts";

const head: readonly HeaderField[] = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];

/**
 * Serves a call.
 *
 * @param node The called node.
 * @param roles Roles in the caller's certificate.
 */
export async function serveCall(
  stream: ServedStream,
  node: SimulatedNode,
  roles: Roles,
): Promise<void> {
  const type = readValues(stream, "content-type")?.[0] ?? "";
  if (!type.startsWith("application/grpc")) {
    return await stream.respond([[":status", "415"]], true);
  }
  const deadline = readDeadline(stream);
  let started = false;
  let end = trailers(rpcCode.OK, "");
  try {
    for await (const bytes of answers(stream, node, roles, deadline.signal)) {
      if (!started) await stream.respond(head, false);
      started = true;
      await stream.write(frame(bytes));
    }
  } catch (error) {
    end = toStatus(error);
  }
  deadline.forget();
  if (deadline.signal.aborted) {
    end = trailers(rpcCode.DEADLINE_EXCEEDED, "Deadline exceeded");
  }
  await stream.respond(started ? end : [...head, ...end], true);
}

async function* answers(
  stream: ServedStream,
  node: SimulatedNode,
  roles: Roles,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = readValues(stream, ":path")?.[0] ?? "";
  const route = routes.get(path);
  if (route === undefined) {
    throw new RpcError("UNIMPLEMENTED", `unknown method ${path}`);
  }
  const { requestStream, responseStream, responseType } = route.definition;
  const requests = readRequests(stream, route);
  const request = requestStream ? requests : (await requests.next()).value;
  if (request === undefined) return; // the caller is disconnected
  const messages = answerCall(node, {
    route,
    request,
    roles: rolesIn(stream, roles),
    signal,
    node: readValues(stream, "node"),
    nodes: readValues(stream, "nodes"),
  });
  for await (const message of messages) {
    // Bytes come from a fault and are sent unchanged.
    yield message instanceof Uint8Array
      ? message
      : responseType.encode(responseType.fromPartial(Object(message)))
        .finish();
    if (!responseStream || signal.aborted) return;
  }
}

async function* readRequests(
  stream: ServedStream,
  { definition: { requestType } }: MethodRoute,
): AsyncGenerator<unknown> {
  const reader = frameReader(maxMessage);
  for await (const bytes of stream.content()) {
    for (const message of reader.read(bytes)) yield requestType.decode(message);
  }
}

/** Callers with the impersonator role may set the roles of the call. */
function rolesIn(stream: ServedStream, roles: Roles): Roles {
  if (!roles.has("os:impersonator")) return roles;
  const wanted = readValues(stream, rolesKey);
  return wanted ? new Set(wanted) : roles;
}

function readValues(
  { fields }: ServedStream,
  key: string,
): readonly string[] | undefined {
  const values = fields.flatMap(([name, value]) => name === key ? [value] : []);
  return values.length === 0 ? undefined : values;
}

const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

function readDeadline(stream: ServedStream) {
  const [text = ""] = readValues(stream, "grpc-timeout") ?? [];
  const late = new AbortController();
  const ms = Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? NaN);
  const forget = ms >= 0 ? after(ms, () => late.abort()) : () => {};
  return {
    forget,
    signal: ms >= 0
      ? AbortSignal.any([stream.signal, late.signal])
      : stream.signal,
  };
}

function toStatus(error: unknown): readonly HeaderField[] {
  return error instanceof RpcError
    ? trailers(rpcCode[error.code], error.message)
    : trailers(rpcCode.INTERNAL, `simulator: ${error}`);
}

function trailers(code: number, message: string): readonly HeaderField[] {
  // PROTOCOL-HTTP2, "Status-Message"
  const text = message.toWellFormed().replace(
    /[^ -$&-~]+/g,
    encodeURIComponent,
  );
  const status: HeaderField = ["grpc-status", String(code)];
  return text === "" ? [status] : [status, ["grpc-message", text]];
}
