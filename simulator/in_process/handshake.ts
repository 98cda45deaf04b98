/** TLS handshakes in a model cluster: whether client and server accept each other. */

import { type ConnectCause, ConnectError } from "../../errors.ts";
import { type ChainProblem, verifyChain } from "../../pki/chain.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { type Clock, inRealTime } from "../clock/clock.ts";
import type { FaultName } from "../state/faults.ts";
import type { ClientCredentials } from "../state/identities.ts";
import type { SimulatedNode } from "../state/node.ts";
import { maintenanceRoles, type Roles } from "../state/roles.ts";
import {
  type Certificate,
  includesCa,
  type SimulatedTrust,
} from "../state/trust.ts";

interface Server {
  /** `host:port`, for messages. */
  readonly endpoint: string;
  /** Its issuer, and the CAs it accepts. */
  readonly trust: SimulatedTrust;
  readonly clock: Clock;
}

/**
 * Connects a client to the node API of a node.
 *
 * @returns Roles of the client.
 * @throws {ConnectError} If the node is unreachable, or one side does not trust the other.
 */
export async function handshake(
  node: SimulatedNode,
  credentials: ClientCredentials,
): Promise<Roles> {
  const { trust, clock, faults } = node;
  const endpoint = `${node.identity.address}:50000`;
  if (!node.boot.reachable) throw connectionRefused(endpoint);
  if (!node.disk.configured) {
    // A client without a certificate trusts any server.
    if (credentials.crt === "") return maintenanceRoles;
    const seen = "the node is in maintenance mode";
    throw trustError("maintenance", endpoint, seen);
  }
  for (const [fault, reason] of serverFaults) {
    if (faults.has(fault)) throw trustError(reason, endpoint, reason);
  }
  checkServer({ endpoint, trust, clock }, credentials);
  if (faults.has("client-cert-refused")) {
    throw clientRefused("client-wrong-ca", endpoint);
  }
  const leaf = await acceptedClient({ endpoint, trust, clock }, credentials);
  const { extendedKeyUsage, subject } = inspect(leaf);
  // Like real nodes: refuse certificates that are not for clients only.
  if (extendedKeyUsage?.join() !== "clientAuth") {
    throw clientRefused("client-no-client-auth", endpoint);
  }
  return new Set(subject.organizations);
}

/** Faults of a node's certificate, and the cause that clients report. */
const serverFaults: readonly (readonly [FaultName, ConnectCause])[] = [
  ["server-ca-changed", "wrong-ca"],
  ["server-cert-expired", "server-expired"],
  ["server-cert-not-yet-valid", "server-not-yet-valid"],
  ["not-in-san", "wrong-name"],
];

/**
 * Verifies a server with the client's CAs.
 *
 * @throws {ConnectError} If none of them has signed its certificate.
 */
export function checkServer(
  { endpoint, trust: { issuer } }: Server,
  { ca }: Pick<ClientCredentials, "ca">,
): void {
  const known = certificatesIn(ca);
  if (issuer && includesCa(known, issuer)) return;
  const seen = "its certificate was signed by an unknown authority";
  throw trustError("wrong-ca", endpoint, seen);
}

/**
 * Verifies a client with the server's CAs.
 *
 * @returns Its certificate.
 * @throws {ConnectError} If the server does not accept it.
 */
export async function acceptedClient(
  { endpoint, trust: { accepted }, clock }: Server,
  { crt }: Pick<ClientCredentials, "crt">,
): Promise<Certificate> {
  const [leaf] = certificatesIn(crt);
  if (leaf === undefined) throw clientRefused("client-missing", endpoint);
  const problem = await findProblem(leaf, accepted, clock);
  if (problem === undefined) return leaf;
  throw clientRefused(clientCauses[problem] ?? "client-wrong-ca", endpoint);
}

/** Error for a refused connection. */
export function connectionRefused(endpoint: string): ConnectError {
  const message = `Cannot connect to "${endpoint}": the connection was refused`;
  return new ConnectError("refused", message);
}

const clientCauses: Readonly<Partial<Record<ChainProblem, ConnectCause>>> = {
  expired: "client-expired",
  "not-yet-valid": "client-not-yet-valid",
  "wrong-usage": "client-no-client-auth",
};

/** Cache of verified signatures. */
const verdicts = new WeakMap<Certificate, Map<string, boolean>>();

async function findProblem(
  leaf: Certificate,
  accepted: readonly Certificate[],
  clock: Clock,
): Promise<ChainProblem | undefined> {
  const now = new Date(clock.now());
  const signers: Certificate[] = [];
  for (const one of accepted) {
    if (await hasSigned(one, leaf, clock)) signers.push(one);
  }
  const [signer] = signers;
  if (signer === undefined) return "wrong-ca";
  const { notBefore, notAfter } = inspect(leaf);
  if (now < notBefore) return "not-yet-valid";
  if (now > notAfter) return "expired";
  return now > inspect(signer).notAfter ? "ca-expired" : undefined;
}

async function hasSigned(
  ca: Certificate,
  leaf: Certificate,
  clock: Clock,
): Promise<boolean> {
  const known = verdicts.get(leaf) ?? new Map<string, boolean>();
  verdicts.set(leaf, known);
  const id = ca.toHex();
  const before = known.get(id);
  if (before !== undefined) return before;
  const { notBefore } = inspect(leaf);
  const checking = verifyChain(leaf, [ca], { now: notBefore });
  const { ca: signer } = await inRealTime(clock, checking);
  known.set(id, signer !== undefined);
  return signer !== undefined;
}

const read = new Map<string, readonly Certificate[]>();
const facts = new WeakMap<
  Certificate,
  ReturnType<typeof inspectCertificate>
>();

function inspect(certificate: Certificate) {
  const known = facts.get(certificate) ?? inspectCertificate(certificate);
  facts.set(certificate, known);
  return known;
}

/** Parses certificates; the same text gives the same objects. */
function certificatesIn(pem: string): readonly Certificate[] {
  if (!pem.includes("-----BEGIN")) return [];
  const known = read.get(pem) ?? decodePemAs(pemLabel.certificate, pem);
  // Rotations add new ones without end.
  if (read.size > 1_000) read.clear();
  read.set(pem, known);
  return known;
}

function trustError(
  reason: ConnectCause,
  endpoint: string,
  seen: string,
): ConnectError {
  return new ConnectError(reason, `Cannot trust "${endpoint}": ${seen}`);
}

function clientRefused(reason: ConnectCause, endpoint: string): ConnectError {
  return new ConnectError(
    reason,
    `Cannot connect to "${endpoint}": it does not accept the client certificate`,
  );
}
