/** Looks at all endpoints of a context, and at the nodes behind them. */

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
import { type ConnectRow, passed, type StageRow } from "./row.ts";

/** What is checked. */
export interface ContextCheck extends Caller, ProxySettings {
  readonly endpoints: readonly Endpoint[];
  /** How nodes are checked, and what is shown to them; the key in any form a context may have. */
  readonly trust: Trust;
  /** True when the certificates of the context are not known, so that no login is tried. */
  readonly withoutContext?: boolean;
  /** Nodes to reach through each endpoint, as written; may be none. */
  readonly nodes: readonly string[];
  /** Longest time of one stage, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest time of one call, in milliseconds; 0 for none. */
  readonly nodeTimeoutMs: number;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
  /** Makes the probes of an endpoint; default those of the network. */
  readonly probes?: (options: DialOptions) => Probes;
}

/** Looks at a context: at its certificates first, then at all endpoints at once. Returns rows, endpoint by endpoint. */
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
  // Who leaves early does not leave failures behind.
  all.forEach((rows) => rows.catch(() => {}));
  for (const [index, rows] of all.entries()) {
    const endpoint = endpoints[index]?.text ?? "";
    // They run at the same time, and are shown one after the other.
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

/** Whether nodes may refuse the certificate for this; that it ends soon is no reason to. */
function isDoubt(row: StageRow): boolean {
  return row.result === "warning" &&
    (row.cause === "client-wrong-ca" || row.cause === "client-no-client-auth");
}

/** The runtime reads keys only under its own label. */
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
    note() {}, // what selectors stand for is not the question here
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
 * Looks at the client's certificate; nothing is sent.
 *
 * @returns One row for each thing that is wrong; rows `client` and `role` when all is well.
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
    return [passed("client", "the context has no certificate", "skipped")];
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
  // The diagnosis has read it before.
  const { notAfter, subject } = inspectCertificate(der!);
  const until = notAfter.toISOString().replace(/\.\d+Z$/, "Z");
  return [
    ...rows.length > 0 ? rows : [passed("client", `valid until ${until}`)],
    roleRow(subject.organizations),
  ];
}

function roleRow(organizations: readonly string[]): StageRow {
  const { known } = splitRoles(organizations);
  if (known.length > 0) return passed("role", known.join(", "));
  return {
    stage: "role",
    result: "warning",
    detail: "the client certificate has no role, so nodes refuse most calls",
    next: "Get a client certificate that has a role with: osctl config new",
  };
}
