/** The only place where statuses and errors of the wire become ours. */

import { RpcError } from "../../errors.ts";
import { type RpcCode, rpcCode } from "../../errors.ts";

const codeNames: readonly RpcCode[] = Object.keys(rpcCode) as RpcCode[]; // keys of the table

/** Status that ended a call. `code`: number as sent in `grpc-status`; an unknown one is `UNKNOWN`. */
export function statusError(code: number, message: string): RpcError {
  const name = codeNames.find((name) => rpcCode[name] === code) ?? "UNKNOWN";
  return new RpcError(name, message);
}

/**
 * Decodes `grpc-message` (PROTOCOL-HTTP2, "Status-Message").
 *
 * @param text Percent-encoded UTF-8; what cannot be decoded is left as it is.
 */
export function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Answer of a server that is not a gRPC server, or of something in front of it.
 *
 * @param status HTTP status (mapping: gRPC, "http-grpc-status-mapping").
 */
export function httpError(endpoint: string, status: number): RpcError {
  return new RpcError(
    httpCodes[status] ?? "UNKNOWN",
    `"${endpoint}" answers with HTTP status ${status}`,
    { hint: "Check that the endpoint is a node and not a web server or proxy" },
  );
}

const httpCodes: Readonly<Record<number, RpcCode>> = {
  400: "INTERNAL",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "UNIMPLEMENTED",
  429: "UNAVAILABLE",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "UNAVAILABLE",
};

/** Stream that the server reset. `code`: HTTP/2 error code (RFC 9113, 7; mapping: PROTOCOL-HTTP2, "Errors"). */
export function resetError(endpoint: string, code: number): RpcError {
  return new RpcError(
    resetCodes[code] ?? "INTERNAL",
    `"${endpoint}" ended the call with HTTP/2 error ${code}`,
  );
}

const resetCodes: Readonly<Record<number, RpcCode>> = {
  7: "UNAVAILABLE",
  8: "CANCELLED",
  11: "RESOURCE_EXHAUSTED",
  12: "PERMISSION_DENIED",
};
