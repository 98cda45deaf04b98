/** Certificates of simulated nodes and of their clients. */

import { addressFamily } from "../../lib/ip.ts";
import { caOrganization, maintenanceCommonName } from "../../talos.ts";
import { createCa } from "../../pki/ca.ts";
import {
  type CertificateAuthority,
  type CertificateSpec,
  issueCertificate,
} from "../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePkcs8, encodePrivateKey } from "../../pki/private_key.ts";
import type { SimulatedNode } from "./node.ts";
import { findMain } from "./node_configuration.ts";
import type { ServerIdentity } from "../wire/listen.ts";
import { encodeCertificates } from "./trust.ts";

/** Credentials in a client configuration; all PEM. */
export interface ClientCredentials {
  readonly ca: string;
  readonly crt: string;
  readonly key: string;
}

/** Validity of a certificate. */
export interface Lifetime {
  /** Default now. */
  readonly notBefore?: Date;
  /** Default a year after `notBefore`. */
  readonly notAfter?: Date;
}

const dayMs = 24 * 3_600_000;
const yearMs = 365 * dayMs;

/**
 * Makes the credentials of a client.
 *
 * @param extendedKeyUsage Extended key usages; nodes only accept `clientAuth` alone.
 */
export async function clientCredentials(
  ca: CertificateAuthority,
  roles: readonly string[],
  { notBefore = new Date(), notAfter }: Lifetime = {},
  extendedKeyUsage: readonly ("clientAuth" | "serverAuth")[] = ["clientAuth"],
): Promise<ClientCredentials> {
  const { certificate: crt, key } = await issueKeyPair({
    ca,
    subject: { organizations: roles },
    extendedKeyUsage,
    notBefore,
    notAfter: notAfter ?? new Date(notBefore.getTime() + yearMs),
  });
  return { ca: encodePem(pemLabel.certificate, ca.certificate), crt, key };
}

/** Validity of a year from now, starting earlier for clocks that are slightly behind. */
export function yearFrom(now: number, earlyMs = 3_600_000): Required<Lifetime> {
  const notBefore = new Date(now - earlyMs);
  return { notBefore, notAfter: new Date(now + yearMs) };
}

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** Key of {@linkcode certificate}. */
  readonly key: string;
}

/** Generates a key and issues a certificate. */
export async function issueKeyPair(
  { algorithm, encodeKey = encodePrivateKey, ...spec }:
    & Omit<Extract<CertificateSpec, { publicKey: Uint8Array }>, "publicKey">
    & {
      /** Default Ed25519. */
      readonly algorithm?: "ECDSA";
      /** Default the format that nodes use. */
      readonly encodeKey?: typeof encodePrivateKey;
    },
): Promise<KeyPair> {
  const key = await generateKey(algorithm);
  const certificate = await issueCertificate({
    ...spec,
    publicKey: await exportPublicSpki(key),
  });
  return {
    certificate: encodePem(pemLabel.certificate, certificate),
    key: encodeKey(key),
  };
}

/** Makes the server certificate of a node. `host`: listen address; included in the SANs. */
export async function serverIdentity(
  node: SimulatedNode,
  host: string,
): Promise<ServerIdentity> {
  const { faults, disk: { configured } } = node;
  const issuer = node.trust.issuer ?? await unknownCa();
  const usesOther = !configured || faults.has("server-ca-changed");
  const ca = usesOther ? await unknownCa() : issuer;
  const pair = await issueKeyPair({
    ca,
    encodeKey: encodePkcs8,
    subject: {
      organizations: [],
      commonName: configured ? node.identity.hostname : maintenanceCommonName,
    },
    extendedKeyUsage: ["serverAuth"],
    subjectAltNames: listNames(node, host),
    ...serverLifetime(node),
  });
  const clients = faults.has("client-cert-refused")
    ? [(await unknownCa()).certificate]
    : node.trust.accepted;
  return {
    ...pair,
    ...(configured ? { clientCas: encodeCertificates(clients) } : {}),
  };
}

function unknownCa(): Promise<CertificateAuthority> {
  return createCa({ organizations: [caOrganization] });
}

function listNames(
  node: SimulatedNode,
  host: string,
): { readonly dns: readonly string[]; readonly ips: readonly string[] } {
  const { identity: { address, hostname }, faults } = node;
  if (faults.has("not-in-san")) return { dns: ["elsewhere"], ips: [] };
  const sans = configuredSans(node, "machine", "certSANs");
  const names = [...new Set([address, host, ...sans])];
  return {
    dns: [
      hostname,
      ...names.filter((name) => addressFamily(name) === undefined),
    ],
    ips: names.filter(addressFamily),
  };
}

/** Certificate SANs from a node's own configuration; nodes with the generated one have none. */
export function configuredSans(
  node: SimulatedNode,
  ...path: readonly string[]
): readonly string[] {
  const { disk: { configured, configuration }, boot } = node;
  const own = boot.liveConfiguration ?? configuration;
  if (!configured || own === undefined) return [];
  return findMain(node).get(...path).items().flatMap((item) =>
    item.text() ?? []
  );
}

function serverLifetime({ clock, faults }: SimulatedNode): Required<Lifetime> {
  const now = clock.now();
  const [from, to] = faults.has("server-cert-expired")
    ? [-yearMs, -dayMs]
    : faults.has("server-cert-not-yet-valid")
    ? [dayMs, yearMs]
    : [-3_600_000, yearMs];
  return { notBefore: new Date(now + from), notAfter: new Date(now + to) };
}
