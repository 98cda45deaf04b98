/** Maps failed connection attempts to causes; the only place that does. */

import { type ConnectCause, ConnectError } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";
import type { PeerVerdict } from "./peer.ts";
import type { Proxy } from "./proxy.ts";
import type { DialOptions, DialProgress } from "./endpoint_socket.ts";

/** Step of a connection attempt. */
export type DialStage = "tcp" | "proxy" | "tls" | "http2";

const stageNames: Readonly<Record<DialStage, string>> = {
  tcp: "while connecting",
  proxy: "while the proxy connects",
  tls: "during the TLS handshake",
  http2: "after the TLS handshake",
};

const wrongName = "ERR_TLS_CERT_ALTNAME_INVALID";

/** Failed connection attempt. */
export interface ConnectAttempt {
  readonly endpoint: Endpoint;
  readonly proxy?: Proxy | undefined;
  readonly stage: DialStage;
  /** True if a client certificate was presented. */
  readonly identified: boolean;
}

/** Creates the error builder of an attempt. */
export function startAttempt(
  { endpoint, proxy, trust }: DialOptions,
  { stage }: DialProgress,
): ConnectAttempt {
  const identified = trust.kind === "verified" && !!trust.identity.crt;
  return { endpoint, proxy, stage, identified };
}

/** Error for an attempt that timed out. `timeoutMs`: the timeout in milliseconds. */
export function tooLong(
  attempt: ConnectAttempt,
  timeoutMs: number,
): ConnectError {
  return failure(
    attempt,
    "timeout",
    `no answer within ${timeoutMs / 1000} s ${stageNames[attempt.stage]}`,
    { hint: "Check the address, and firewalls in between" },
  );
}

/** Error for an attempt that failed with an error of the runtime. */
export function connectError(
  attempt: ConnectAttempt,
  error: unknown,
): ConnectError {
  const code = findCode(error);
  const [reason, seen] = findCause(attempt, code);
  const hint = hints[reason];
  return failure(attempt, reason, seen, { cause: error, ...hint && { hint } });
}

/** Error for a server certificate that was rejected. */
export function distrust(
  { endpoint }: ConnectAttempt,
  { reason, seen, hint = doctor(endpoint) }: PeerVerdict,
  cause: unknown,
): ConnectError {
  return new ConnectError(
    reason,
    `Cannot trust "${endpoint.text}": ${seen}`,
    { cause, hint },
  );
}

/** True if the runtime rejected the server certificate. */
export function isDistrust(error: unknown): boolean {
  const code = findCode(error);
  return code === wrongName ||
    /^(?:UNABLE_TO_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_)/.test(code);
}

/** True if the server rejected our certificate. */
export function isRefusal(error: unknown): boolean {
  return Object.hasOwn(alertCauses, findCode(error));
}

/** Returns the `code` of an error of the runtime; empty if it has none. */
export function findCode(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }; // any value may be thrown
  return typeof code === "string" ? code : "";
}

type Cause = readonly [reason: ConnectCause, seen: string];

const missing: Cause = ["client-missing", "it requires a client certificate"];

/** Codes of TCP connections (`connect` and `getaddrinfo`). */
const tcpCauses: Readonly<Record<string, Cause>> = {
  ENOTFOUND: ["dns", "the name cannot be resolved"],
  EAI_AGAIN: ["dns", "the DNS server does not answer"],
  ECONNREFUSED: ["refused", "the connection was refused"],
  EHOSTUNREACH: ["unreachable", "no route to host"],
  ENETUNREACH: ["unreachable", "no route to network"],
  ENETDOWN: ["unreachable", "the network is down"],
  EADDRNOTAVAIL: ["unreachable", "the address is not available"],
  EACCES: ["unreachable", "a local rule forbids the connection"],
  EPERM: ["unreachable", "a local rule forbids the connection"],
  ETIMEDOUT: ["timeout", "the host does not answer"],
  ECONNRESET: ["reset", "the connection was closed"],
  EPIPE: ["reset", "the connection was closed"],
};

/** Codes of TLS alerts for a rejected client certificate (RFC 8446, 6.2). */
const alertCauses: Readonly<Record<string, Cause>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: missing,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: [
    "client-wrong-ca",
    "it does not trust the CA of the client certificate",
  ],
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: [
    "client-expired",
    "the client certificate has expired",
  ],
  // Go sends this alert for any rejected certificate; causes visible on the client were checked before.
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: [
    "client-wrong-ca",
    "it does not accept the client certificate",
  ],
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: [
    "client-no-client-auth",
    "the client certificate is not meant for clients",
  ],
  ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR: [
    "client-key-mismatch",
    "the key does not match the client certificate",
  ],
  ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: [
    "client-wrong-ca",
    "it does not accept the client certificate",
  ],
};

const tlsCauses: Readonly<Record<string, Cause>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: ["not-tls", "it does not speak TLS"],
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: [
    "unknown",
    "it speaks TLS but not HTTP/2, so it is not a node",
  ],
  [wrongName]: ["wrong-name", "its certificate is for other names"],
};

function findCause(
  { stage, identified }: ConnectAttempt,
  code: string,
): Cause {
  const refusal = alertCauses[code];
  if (refusal) return identified ? refusal : missing;
  const known = tcpCauses[code] ?? tlsCauses[code];
  const closed = known === undefined ? code === "" : known[0] === "reset";
  if (closed && stage === "http2") return identified ? closedOnSight : missing;
  if (closed) {
    return ["reset", `the connection was closed ${stageNames[stage]}`];
  }
  return known ?? ["unknown", `error ${code} ${stageNames[stage]}`];
}

const closedOnSight: Cause = [
  "reset",
  "it closed the connection after seeing the client certificate",
];

const renew = "Renew the client certificate with: osctl config renew";

const hints: Partial<Readonly<Record<ConnectCause, string>>> = {
  "not-tls": "Check the port: the node API listens on 50000",
  "client-expired": renew,
  "client-wrong-ca":
    "The context belongs to another cluster: choose one with --context",
  "client-missing":
    "Use a context with a client certificate: osctl config contexts",
};

function failure(
  { endpoint, proxy, stage }: ConnectAttempt,
  reason: ConnectCause,
  seen: string,
  options: { readonly hint?: string; readonly cause?: unknown },
): ConnectError {
  const atProxy = proxy !== undefined && stage === "tcp";
  const target = atProxy
    ? `proxy "${proxy.endpoint.text}"`
    : `"${endpoint.text}"`;
  return new ConnectError(
    atProxy ? "proxy" : reason,
    `Cannot connect to ${target}: ${seen}`,
    { hint: doctor(endpoint), ...options },
  );
}

function doctor({ text }: Endpoint): string {
  return `Diagnose it with: osctl doctor connect -e ${text}`;
}
