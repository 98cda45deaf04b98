/** The only place where statuses and errors of the wire become ours. */

import {
  type ConnectCause,
  ConnectError,
  OsctlError,
  type RpcCode,
  rpcCode,
  RpcError,
} from "../../errors.ts";
import { neededRole, readableStatus, withoutQuotes } from "./status_text.ts";

const codeNames: readonly RpcCode[] = Object.keys(rpcCode) as RpcCode[]; // keys of the table

/**
 * Status that ended a call, in words for people, without what it quotes of a configuration.
 *
 * @param code Number as sent in `grpc-status`; an unknown one is `UNKNOWN`.
 * @param sent Text as sent.
 */
export function statusError(code: number, sent: string): RpcError {
  const text = withoutQuotes(sent);
  const said = codeNames.find((name) => rpcCode[name] === code) ?? "UNKNOWN";
  const name = said === "INTERNAL" && brokenCall.test(text)
    ? "UNAVAILABLE"
    : said;
  const since = name === "UNIMPLEMENTED" ? supportText(text) : undefined;
  if (since !== undefined) {
    const cause = new RpcError(name, text);
    return new RpcError(name, since, { cause, raw: text });
  }
  const { message } = readableStatus(text);
  return new RpcError(name, message, message === text ? {} : { raw: text });
}

/** What a gRPC library answers with INTERNAL when its own connection breaks; all else with it is an answer of the node. */
const brokenCall =
  /^(?:rpc error: code = \w+ desc = )?(?:stream terminated by RST_STREAM|server closed the stream|transport: |error reading from server: |(?:unexpected )?EOF$)/;

/** How an endpoint says that it never reached the node. */
const neverDialled =
  /^(?:rpc error: code = \w+ desc = )?(?:name resolver error: produced zero addresses|dns: A record lookup error: |(?:last )?connection error: desc = "(?:transport: (?:Error while dialing:? dial tcp(?: \S+:50000)?: |authentication handshake failed)|error reading server preface: ))/;

const unsent = new WeakSet<RpcError>();

/** Notes that no server took a request. Returns the same error. */
export function neverSent(error: RpcError): RpcError {
  unsent.add(error);
  return error;
}

/** Whether a call failed before anything was sent to its node. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof ConnectError) return error.reason !== "lost";
  return error instanceof RpcError &&
    (unsent.has(error) || error.code === "UNAVAILABLE" &&
        neverDialled.test(error.raw ?? error.message));
}

const noForwarding = "no request forwarding";

/** Whether an endpoint could not forward a call to its node, so that nothing was sent to that; another endpoint may. */
export function isUnforwarded(error: unknown): boolean {
  return error instanceof RpcError &&
    (isUnsent(error) ||
      error.code === "PERMISSION_DENIED" && error.message === noForwarding);
}

/** Says what is wrong with an endpoint that forwards no calls. Returns any other error as it is. */
export function forwardingError(error: unknown, endpoint: string): unknown {
  const isRefusal = error instanceof RpcError &&
    error.code === "PERMISSION_DENIED" && error.message === noForwarding;
  if (!isRefusal) return error;
  return new ConnectError(
    "no-forwarding",
    `endpoint "${endpoint}" forwards no calls to other nodes, as it is a worker`,
    {
      cause: error,
      hint:
        "Use control planes as endpoints: -e ADDRESS, or for good: osctl config endpoint ADDRESS",
    },
  );
}

const downCauses: ReadonlySet<ConnectCause> = new Set([
  "refused",
  "unreachable",
  "timeout",
  "reset",
  "lost",
]);

const downCodes: ReadonlySet<RpcCode> = new Set([
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
]);

/**
 * Whether a node or endpoint is down, and may come back. Unknown names, certificates that do not fit and nodes in
 * maintenance are not: waiting does not help.
 *
 * @param error What a first call ended with.
 */
export function isDown(error: unknown): boolean {
  if (error instanceof ConnectError) return downCauses.has(error.reason);
  return error instanceof RpcError && downCodes.has(error.code) &&
    !/produced zero addresses|record lookup error|no such host|certificate|unknown authority|x509/
      .test(error.raw ?? "");
}

const failedNodes = new WeakMap<OsctlError, string>();

/**
 * Notes which node a call was for that failed.
 *
 * @param node Node as it was named; empty for the endpoint itself.
 * @returns The same error.
 */
export function failedAt(error: unknown, node: string): unknown {
  if (node !== "" && error instanceof OsctlError) failedNodes.set(error, node);
  return error;
}

/** The node a call was for that failed with this error; `undefined` when it was for none, or is not known. */
export function failedNode(error: unknown): string | undefined {
  return error instanceof OsctlError ? failedNodes.get(error) : undefined;
}

/** What nodes say to a caller without the role for a method. */
const denial = "not authorized";

/**
 * Says which role a refused call needs.
 *
 * @param error What was raised; anything but a refusal is returned as it is.
 * @param path HTTP/2 path of the method.
 */
export function roleError(error: unknown, path: string): unknown {
  const isDenial = error instanceof RpcError &&
    error.code === "PERMISSION_DENIED" && error.message === denial;
  if (!isDenial) return error;
  const role = neededRole(path);
  const needs = path.startsWith("/cosi.")
    ? "os:admin, as resources with secrets do"
    : role;
  return new RpcError(
    error.code,
    `not authorized: it needs the role ${needs}`,
    {
      cause: error,
      raw: denial,
    },
  );
}

/** What a node without a service or method lacks, if it came with a later version; else `undefined`. */
function supportText(message: string): string | undefined {
  const [, method, service = ""] =
    /^unknown (?:method (\w+) for )?service ([\w.]+)$/.exec(message) ?? [];
  const since = firstVersions[`${service}/${method}`] ?? firstVersions[service];
  return since &&
    `the node does not support ${
      method ?? service
    }: it needs v${since} or later`;
}

/** Versions that services, and methods of older services, came with. */
const firstVersions: Readonly<Record<string, string>> = {
  "machine.DebugService": "1.13",
  "machine.ImageService": "1.13",
  "machine.LVMService": "1.14",
  "machine.LifecycleService": "1.13",
  "machine.MDService": "1.14",
  "machine.MachineService/CPUFreqStats": "1.9",
  "machine.MachineService/EtcdDowngradeCancel": "1.11",
  "machine.MachineService/EtcdDowngradeEnable": "1.11",
  "machine.MachineService/EtcdDowngradeValidate": "1.11",
  "storage.StorageService/BlockDeviceWipe": "1.9",
};

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

/**
 * An answer that is no message of its type.
 *
 * @param cause What the library says of it.
 * @param endpoint Who answered, where it was not a node behind it; default the node.
 */
export function unreadable(cause: unknown, endpoint = ""): RpcError {
  const by = endpoint === "" ? "the node" : `"${endpoint}"`;
  return new RpcError("DATA_LOSS", `the response from ${by} cannot be read`, {
    cause,
    hint:
      "Something in between may have changed it, or the node is not what it seems: osctl doctor connect",
  });
}

/** Stream that the server reset. `code`: HTTP/2 error code (RFC 9113, 7; mapping: PROTOCOL-HTTP2, "Errors"). */
export function resetError(endpoint: string, code: number): RpcError {
  return new RpcError(
    resetCodes[code] ?? "UNAVAILABLE",
    `"${endpoint}" ended the call with HTTP/2 error ${code}`,
  );
}

const resetCodes: Readonly<Record<number, RpcCode>> = {
  8: "CANCELLED",
  11: "RESOURCE_EXHAUSTED",
  12: "PERMISSION_DENIED",
};
