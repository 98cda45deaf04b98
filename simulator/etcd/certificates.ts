/** Certificates that nodes make for their etcd. */

import { type Authority, issueCertificate } from "../../pki/certificate.ts";
import { generateKey, publicSpkiOf } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { systemClock } from "../clock/clock.ts";

/** A certificate with its key; both PEM. */
export interface KeyPair {
  /** Certificate. */
  readonly certificate: string;
  /** Key of {@linkcode certificate}. */
  readonly key: string;
}

/** Whom a server's certificate names. */
export interface ServerNames {
  /** Host name of the node. */
  readonly hostname: string;
  /** Addresses it listens on and is known by. */
  readonly addresses: readonly string[];
}

const yearMs = 365 * 24 * 3_600_000;

/** Makes the certificate of a server, for clients and for other members. */
export function serverKeyPair(
  ca: Authority,
  { hostname, addresses }: ServerNames,
): Promise<KeyPair> {
  const ips = [...new Set([...addresses, "127.0.0.1", "::1"])];
  return keyPair(ca, {
    commonName: hostname,
    extendedKeyUsage: ["serverAuth", "clientAuth"],
    subjectAltNames: { dns: [hostname, "localhost"], ips },
  });
}

/** Makes the certificate of a client that may do everything. */
export function clientKeyPair(
  ca: Authority,
  commonName: string,
): Promise<KeyPair> {
  return keyPair(ca, { commonName, extendedKeyUsage: ["clientAuth"] });
}

async function keyPair(
  ca: Authority,
  { commonName, ...spec }: {
    readonly commonName: string;
    readonly extendedKeyUsage: readonly ("serverAuth" | "clientAuth")[];
    readonly subjectAltNames?: {
      readonly dns: readonly string[];
      readonly ips: readonly string[];
    };
  },
): Promise<KeyPair> {
  const key = await generateKey("ECDSA");
  const now = systemClock.now();
  const certificate = await issueCertificate({
    ...spec,
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: [], commonName },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    // The clocks of other machines may differ a little.
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + yearMs),
  });
  return {
    certificate: encodePem(pemLabel.certificate, certificate),
    key: encodePrivateKey(key),
  };
}
