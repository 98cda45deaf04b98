/** Checks all endpoints of a context, and the nodes behind them. */

import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import { splitRoles } from "../../pki/roles.ts";
import type { Caller } from "../../transport/call/metadata.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { Endpoint } from "../../transport/connect/endpoint.ts";
import type { DialOptions } from "../../transport/connect/endpoint_socket.ts";
import { listProbes, type Probes } from "../../transport/connect/probe.ts";
import {
  proxyFor,
  type ProxySettings,
  type ReadEnv,
} from "../../transport/connect/proxy.ts";
import type { Trust } from "../../transport/connect/trust.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import { apiRows } from "./api_rows.ts";
import {
  type EndpointCheck,
  endpointRows,
  failedStage,
} from "./check_endpoint.ts";
import type { ConnectTarget } from "./next_step.ts";
import { type ConnectRow, passedRow, type StageRow } from "./row.ts";

/** Settings of a context check. */
export interface ContextCheck extends Caller, ProxySettings {
  readonly endpoints: readonly Endpoint[];
  /** Trusted CAs and client certificate; the key in any form a context may have. */
  readonly trust: Trust;
  /** True if there are no client certificates, so no login is tried. */
  readonly withoutContext?: boolean;
  /** Nodes to reach through each endpoint, as written; may be empty. */
  readonly nodes: readonly string[];
  /** Timeout of each stage, in milliseconds. */
  readonly timeoutMs: number;
  /** Timeout of each call, in milliseconds; 0 for none. */
  readonly nodeTimeoutMs: number;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Monotonic clock, in milliseconds. */
  readonly clock: () => number;
  /** Creates the probes of an endpoint; default: the network. */
  readonly probes?: (options: DialOptions) => Probes;
}

/** Checks a context: its certificates first, then all endpoints in parallel. Returns rows by endpoint. */
export async function* contextRows(
  check: ContextCheck,
): AsyncGenerator<ConnectRow> {
  const { endpoints } = check;
  const own = await ownRows(check);
  for (const row of own) yield { endpoint: "", ...row };
  const isBroken = own.some(({ result }) => result === "failed");
  const noLogin = isBroken
    ? "the client certificate cannot be used"
    : check.withoutContext
    ? "there is no context"
    : undefined;
  const doubt = own.find(isDoubt);
  const trust = isBroken ? check.trust : loadable(check.trust);
  const prepared: PreparedCheck = { ...check, trust, noLogin, doubt };
  const all = endpoints.map((endpoint) =>
    Array.fromAsync(checkEndpoint(endpoint, prepared))
  );
  // Avoids unhandled rejections if the caller stops early.
  all.forEach((rows) => rows.catch(() => {}));
  for (const [index, rows] of all.entries()) {
    const endpoint = endpoints[index]?.text ?? "";
    // Run in parallel, shown in order.
    for (const row of await rows) yield { endpoint, ...row };
  }
}

async function ownRows(
  { trust, now, withoutContext }: ContextCheck,
): Promise<readonly StageRow[]> {
  return trust.kind === "verified" && !withoutContext
    ? await clientRows(trust.identity, now())
    : [];
}

/** True if nodes may reject the certificate because of this; upcoming expiry is no reason. */
function isDoubt(row: StageRow): boolean {
  return row.result === "warning" &&
    (row.cause === "client-wrong-ca" || row.cause === "client-no-client-auth");
}

/** The runtime only reads keys with its own PEM label. */
function loadable(trust: Trust): Trust {
  if (trust.kind === "maintenance" || !trust.identity.key) return trust;
  const key = encodePkcs8(decodePrivateKey(trust.identity.key));
  return { kind: "verified", identity: { ...trust.identity, key } };
}

type PreparedCheck =
  & ContextCheck
  & Pick<EndpointCheck, "noLogin" | "doubt">;

async function* checkEndpoint(
  endpoint: Endpoint,
  check: PreparedCheck,
): AsyncGenerator<StageRow> {
  const target = toTarget(endpoint, check);
  let plan: EndpointCheck;
  try {
    plan = planCheck(endpoint, check);
  } catch (error) {
    return yield failedStage("proxy", error, target);
  }
  let isWell = check.noLogin === undefined;
  for await (const row of endpointRows(plan)) {
    isWell &&= row.result !== "failed";
    yield row;
  }
  if (isWell) yield* behind(endpoint, check);
}

async function* behind(
  endpoint: Endpoint,
  check: ContextCheck,
): AsyncGenerator<StageRow> {
  const { trust, nodes: selected, ...rest } = check;
  const isWaiting = trust.kind === "maintenance";
  const nodes = openNodes({
    ...rest,
    endpoints: [endpoint.text],
    nodes: isWaiting ? [endpoint.text] : selected,
    identity: isWaiting ? {} : trust.identity,
    maintenance: isWaiting ? trust : undefined,
    note() {}, // resolved selectors are not shown here
  });
  try {
    const hasNodes = selected.length > 0;
    const target = toTarget(endpoint, check);
    yield* apiRows({ ...check, target, nodes, hasNodes });
  } finally {
    nodes.close();
  }
}

function planCheck(
  endpoint: Endpoint,
  check: PreparedCheck,
): EndpointCheck {
  const { trust, timeoutMs, signal, clock, probes = listProbes } = check;
  const proxy = proxyFor(endpoint, check);
  return {
    target: toTarget(endpoint, check),
    isAddress: addressFamily(endpoint.host) !== undefined,
    proxy: proxy && `${proxy.kind} proxy "${proxy.endpoint.text}"`,
    proxyReason: formatReason(endpoint, check, proxy !== undefined),
    ca: trust.kind === "verified" ? trust.identity.ca : undefined,
    noLogin: check.noLogin,
    doubt: check.doubt,
    probes: probes({ endpoint, trust, proxy, timeoutMs, signal }),
    clock,
  };
}

function toTarget(
  { host, text }: Endpoint,
  { trust, now }: ContextCheck,
): ConnectTarget {
  return { host, text, maintenance: trust.kind === "maintenance", now: now() };
}

function formatReason(
  endpoint: Endpoint,
  { env, proxyUrl }: ProxySettings,
  isUsed: boolean,
): string {
  if (proxyUrl) {
    return isUsed
      ? "proxy-url of the context names it"
      : `proxy-url of the context is "${proxyUrl}"`;
  }
  const isSet = env("HTTPS_PROXY") || env("https_proxy");
  if (!isSet) return "HTTPS_PROXY is not set";
  if (isUsed) {
    return "HTTPS_PROXY is set, and NO_PROXY does not name the endpoint";
  }
  const alone: ReadEnv = (name) =>
    /^no_proxy$/i.test(name) ? undefined : env(name);
  return proxyFor(endpoint, { env: alone }) === undefined
    ? "loopback addresses never use a proxy"
    : "NO_PROXY names the endpoint";
}

/**
 * Checks the client certificate; sends nothing.
 *
 * @returns One row for each problem; rows `client` and `role` if there is none.
 */
export async function clientRows(
  { ca, crt, key }: {
    readonly ca?: string | undefined;
    readonly crt?: string | undefined;
    readonly key?: string | undefined;
  },
  now: Date,
): Promise<readonly StageRow[]> {
  if (crt === undefined && key === undefined) {
    return [passedRow("client", "the context has no certificate", "skipped")];
  }
  const findings = await diagnoseClientIdentity({ ca, crt, key, now });
  const rows = findings.map(({ cause, message, hint, severity }): StageRow => ({
    stage: "client",
    result: severity === "error" ? "failed" : "warning",
    detail: message,
    cause,
    next: hint,
  }));
  if (rows.some(({ result }) => result === "failed")) return rows;
  const [der] = decodePemAs(pemLabel.certificate, crt ?? "");
  // Validated above.
  const { notAfter, subject } = inspectCertificate(der!);
  const until = notAfter.toISOString().replace(/\.\d+Z$/, "Z");
  return [
    ...rows.length > 0 ? rows : [passedRow("client", `valid until ${until}`)],
    roleRow(subject.organizations),
  ];
}

function roleRow(organizations: readonly string[]): StageRow {
  const { known } = splitRoles(organizations);
  if (known.length > 0) return passedRow("role", known.join(", "));
  return {
    stage: "role",
    result: "warning",
    detail: "the client certificate has no role, so nodes refuse most calls",
    next: "Get a client certificate that has a role with: osctl config new",
  };
}
