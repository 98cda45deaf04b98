/** Checks one endpoint, stage by stage, until one fails. */

import { ConnectError, OsctlError } from "../../errors.ts";
import type { Probes } from "../../transport/connect/probe.ts";
import { type ConnectTarget, nextStep } from "./next_step.ts";
import { type ConnectStage, passedRow, type StageRow } from "./row.ts";
import { serverCertificateRows } from "./server_certificate.ts";

/** Settings of an endpoint check. */
export interface EndpointCheck {
  readonly target: ConnectTarget;
  /** True if the host is an IP address, which needs no DNS. */
  readonly isAddress: boolean;
  /** Proxy, `undefined` for none. */
  readonly proxy: string | undefined;
  readonly proxyReason: string;
  /** CAs of the context, PEM; `undefined` if it has none. */
  readonly ca: string | undefined;
  /** Reason for skipping the login, if any. */
  readonly noLogin: string | undefined;
  /** Problem with the client certificate, to explain a failed login. */
  readonly doubt: StageRow | undefined;
  readonly probes: Probes;
  /** Monotonic clock, in milliseconds. */
  readonly clock: () => number;
}

type StageCheck = readonly [ConnectStage, () => Promise<readonly StageRow[]>];

/**
 * Checks an endpoint up to the point where it accepts calls.
 *
 * @returns Rows in order; stops after the first failure, except within the certificate.
 */
export async function* endpointRows(
  check: EndpointCheck,
): AsyncGenerator<StageRow> {
  const steps: readonly StageCheck[] = [
    ["proxy", () => Promise.resolve([proxyRow(check)])],
    ["dns", () => nameRows(check)],
    ["tcp", () => tcpRows(check)],
    ["tls", () => tlsRows(check)],
    ["login", () => loginRows(check)],
  ];
  for (const [stage, step] of steps) {
    // One stage at a time: each needs the previous one.
    const rows = await step().catch((error) => [
      failedStage(stage, error, check.target),
    ]);
    yield* rows;
    if (rows.some(({ result }) => result === "failed")) return;
  }
}

function proxyRow({ proxy, proxyReason }: EndpointCheck): StageRow {
  return passedRow("proxy", `${proxy ?? "none"}: ${proxyReason}`);
}

async function nameRows(
  { proxy, isAddress, probes }: EndpointCheck,
): Promise<readonly StageRow[]> {
  if (isAddress) return [passedRow("dns", "is an IP address", "skipped")];
  if (proxy) return [passedRow("dns", "resolved by the proxy", "skipped")];
  return [passedRow("dns", (await probes.lookUp()).join(", "))];
}

async function tcpRows(
  { probes, proxy, clock }: EndpointCheck,
): Promise<readonly StageRow[]> {
  const start = clock();
  await probes.connect();
  const to = proxy === undefined ? "" : " to the proxy";
  return [
    passedRow("tcp", `connected${to} in ${Math.round(clock() - start)} ms`),
  ];
}

async function tlsRows(check: EndpointCheck): Promise<readonly StageRow[]> {
  const { protocol, certificate } = await check.probes.handshake();
  return [
    passedRow("tls", protocol),
    ...await serverCertificateRows(certificate, check),
  ];
}

async function loginRows(
  { noLogin, doubt, probes, target }: EndpointCheck,
): Promise<readonly StageRow[]> {
  if (noLogin !== undefined) return [passedRow("login", noLogin, "skipped")];
  try {
    await probes.login();
    return [passedRow("login", "accepted")];
  } catch (error) {
    const row = failedStage("login", error, target);
    // Some servers close the connection silently; that alone says little.
    if (row.result !== "failed" || row.cause !== "reset") return [row];
    return [
      doubt ? { ...row, ...reasonIn(doubt) } : { ...row, next: lookAround },
    ];
  }
}

const lookAround =
  "Check that the context belongs to this cluster, and that the node's clock is right: osctl config info";

function reasonIn(doubt: StageRow): Partial<StageRow> {
  if (doubt.result !== "warning") return {};
  const { cause, next } = doubt;
  return { cause, next };
}

/** Row of a stage that threw. Rethrows `error` unless it is an expected failure. */
export function failedStage(
  stage: ConnectStage,
  error: unknown,
  target: ConnectTarget,
): StageRow {
  if (!(error instanceof OsctlError)) throw error;
  const { hint } = error;
  const cause = error instanceof ConnectError ? error.reason : undefined;
  const detail = withoutTarget(error.message, target);
  // Only this hint has the fingerprint of the server.
  const next = cause === undefined || cause === "fingerprint"
    ? hint ?? nextStep("unknown", target)
    : nextStep(cause, target);
  return { stage, result: "failed", detail, cause, next };
}

function withoutTarget(message: string, { text }: ConnectTarget): string {
  const prefixes = [
    `Cannot connect to "${text}": `,
    `Cannot trust "${text}": `,
  ];
  const prefix = prefixes.find((one) => message.startsWith(one)) ?? "";
  return message.slice(prefix.length);
}
