/** Maps gRPC and HTTP/2 errors to `RpcError`; the only place that does. */

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
 * Converts the status of a call to an error with a readable message, without quoted configuration.
 *
 * @param code Value of `grpc-status`; unknown values become `UNKNOWN`.
 * @param sent Message as received.
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

/** INTERNAL messages of gRPC libraries for a broken connection; any other INTERNAL is an answer of the node. */
const brokenCall =
  /^(?:rpc error: code = \w+ desc = )?(?:stream terminated by RST_STREAM|server closed the stream|transport: |error reading from server: |(?:unexpected )?EOF$)/;

/** Message of an endpoint that could not reach the node. */
const neverDialled =
  /^(?:rpc error: code = \w+ desc = )?(?:name resolver error: produced zero addresses|dns: A record lookup error: |(?:last )?connection error: desc = "(?:transport: (?:Error while dialing:? dial tcp(?: \S+:50000)?: |authentication handshake failed)|error reading server preface: ))/;

const unsent = new WeakSet<RpcError>();

/** Marks an error as not sent to any server. Returns the same error. */
export function neverSent(error: RpcError): RpcError {
  unsent.add(error);
  return error;
}

/** True if a call failed before it was sent to its node. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof ConnectError) return error.reason !== "lost";
  return error instanceof RpcError &&
    (unsent.has(error) || error.code === "UNAVAILABLE" &&
        neverDialled.test(error.raw ?? error.message));
}

const noForwarding = "no request forwarding";

/**
 * True if an endpoint could not forward a call to its node; the node received nothing, and another endpoint
 * may reach it.
 */
export function isUnforwarded(error: unknown): boolean {
  return error instanceof RpcError &&
    (isUnsent(error) ||
      error.code === "PERMISSION_DENIED" && error.message === noForwarding);
}

/** Explains the error of an endpoint that does not forward calls. Returns other errors unchanged. */
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
 * True if a node or endpoint is down and may recover. False for unknown names, rejected certificates and
 * nodes in maintenance mode: waiting does not help.
 *
 * @param error Error of a first call.
 */
export function isDown(error: unknown): boolean {
  if (error instanceof ConnectError) return downCauses.has(error.reason);
  return error instanceof RpcError && downCodes.has(error.code) &&
    !/produced zero addresses|record lookup error|no such host|certificate|unknown authority|x509/
      .test(error.raw ?? "");
}

const failedNodes = new WeakMap<OsctlError, string>();

/**
 * Records the node of a failed call.
 *
 * @param node Node as given by the user; empty for the endpoint itself.
 * @returns The same error.
 */
export function failedAt(error: unknown, node: string): unknown {
  if (node !== "" && error instanceof OsctlError) failedNodes.set(error, node);
  return error;
}

/** Returns the node of a failed call; `undefined` if none was recorded. */
export function failedNode(error: unknown): string | undefined {
  return error instanceof OsctlError ? failedNodes.get(error) : undefined;
}

/** Error message of nodes for a missing role. */
const denial = "not authorized";

/**
 * Adds the required role to a permission error.
 *
 * @param error Any error; others than permission errors are returned unchanged.
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

/** Explains an unimplemented service or method that requires a later version; else `undefined`. */
function supportText(message: string): string | undefined {
  const [, method, service = ""] =
    /^unknown (?:method (\w+) for )?service ([\w.]+)$/.exec(message) ?? [];
  const since = firstVersions[`${service}/${method}`] ?? firstVersions[service];
  return since &&
    `the node does not support ${
      method ?? service
    }: it needs v${since} or later`;
}

/** First versions with a service, or with a method of an older service. */
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

/** Calls that a node without a configuration answers from v1.13 on; earlier ones know them as not implemented. */
const maintenanceReads =
  /^\/machine\.MachineService\/(?:CPU\w+|Containers|Disk\w+|Dmesg|Events|Hostname|ImageList|List|LoadAvg|Logs|LogsContainers|Memory|Mounts|Netstat|NetworkDeviceStats|Processes|ServiceList|Stats|SystemStat|Version)$/;

/** Names the version that a node needs to answer a call without a configuration. Returns other errors unchanged. */
export function maintenanceError(path: string, error: unknown): unknown {
  const isTooOld = error instanceof RpcError &&
    error.code === "UNIMPLEMENTED" && maintenanceReads.test(path);
  if (!isTooOld) return error;
  const call = path.slice(path.lastIndexOf("/") + 1);
  return new RpcError(
    error.code,
    `without a configuration, the node does not support ${call}: it needs v1.13 or later`,
    { cause: error, raw: error.message },
  );
}

/**
 * Decodes `grpc-message` (PROTOCOL-HTTP2, "Status-Message").
 *
 * @param text Percent-encoded UTF-8; invalid sequences are left unchanged.
 */
export function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Error for the response of a server that does not speak gRPC, or of a proxy in front of it.
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
 * Error for a response that cannot be decoded.
 *
 * @param cause Error of the decoder.
 * @param endpoint Endpoint that answered itself; default a node behind it.
 */
export function unreadable(cause: unknown, endpoint = ""): RpcError {
  const by = endpoint === "" ? "the node" : `"${endpoint}"`;
  return new RpcError("DATA_LOSS", `the response from ${by} cannot be read`, {
    cause,
    hint:
      "Something in between may have changed it, or the node is not what it seems: osctl doctor connect",
  });
}

/**
 * Error for a stream reset by the server. `code`: HTTP/2 error code (RFC 9113, 7; mapping: PROTOCOL-HTTP2, "Errors").
 */
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
