/** Self-signed certificate authorities, in the form that nodes generate. */

import { ConfigError } from "../errors.ts";
import {
  type CertificateAuthority,
  newSerial,
  resolveValidity,
  type Validity,
} from "./certificate.ts";
import { sameBytes } from "./der.ts";
import type { SubjectAltNames } from "./extensions.ts";
import { inspectCertificate } from "./inspect.ts";
import type { ExtendedKeyUsage } from "./oid.ts";
import {
  exportPublicSpki,
  generateKey,
  type KeyOptions,
  platformBytes,
  type RandomBytes,
} from "./key.ts";
import { decodePemAs, pemLabel } from "./pem.ts";
import { decodePrivateKey, type PrivateKey } from "./private_key.ts";
import type { KeyAlgorithm } from "./public_key.ts";
import { encodeName } from "./name.ts";
import { writeCertificate } from "./x509.ts";

interface CaSpec extends Validity, KeyOptions {
  /** Organizations of the subject; may be empty, as for the Kubernetes aggregator. */
  readonly organizations: readonly string[];
  /** Key algorithm; default Ed25519. Ignored if {@linkcode key} is given. */
  readonly algorithm?: KeyAlgorithm;
  /** Key to certify; default a new one. */
  readonly key?: PrivateKey;
  /** Extended key usage; default client and server authentication. */
  readonly extendedKeyUsage?: readonly ExtendedKeyUsage[];
  /** Names and addresses; default none. */
  readonly subjectAltNames?: Partial<SubjectAltNames>;
  /** Random source of serial number and key identifier; default the platform. */
  readonly random?: RandomBytes;
}

/**
 * Creates a CA: a key and a self-signed certificate. Throws `ConfigError` if an
 * organization is empty, an address is not an IP address, or validity ends before it begins.
 */
export async function createCa(spec: CaSpec): Promise<CertificateAuthority> {
  const { random = platformBytes, extendedKeyUsage } = spec;
  const key = spec.key ?? await generateKey(spec.algorithm, spec);
  const name = encodeName({ organizations: spec.organizations });
  const certificate = await writeCertificate({
    ...resolveValidity(spec),
    issuer: name,
    subject: name,
    publicKey: await exportPublicSpki(key),
    key,
    serial: newSerial(random),
    extensions: {
      keyUsage: ["digitalSignature", "keyCertSign"],
      extendedKeyUsage: extendedKeyUsage ?? ["serverAuth", "clientAuth"],
      isCa: true,
      subjectKeyId: random(20).toHex(),
      subjectAltNames: spec.subjectAltNames,
    },
  });
  return { certificate, key };
}

/**
 * Reads a CA from its two PEM files.
 *
 * @param certificate PEM; only the first certificate is used.
 * @param key PEM.
 * @throws {ConfigError} If one is malformed, the certificate is not a CA, or the key does not match.
 */
export async function readCa(
  certificate: string | Uint8Array,
  key: string | Uint8Array,
): Promise<CertificateAuthority> {
  const [der] = decodePemAs(pemLabel.certificate, certificate);
  const privateKey = decodePrivateKey(key);
  const { isCa, spki } = inspectCertificate(der);
  if (!isCa) {
    throw new ConfigError(
      "Cannot use certificate authority: its certificate is not a CA certificate",
    );
  }
  if (!sameBytes(spki, await exportPublicSpki(privateKey))) {
    throw new ConfigError(
      "Cannot use certificate authority: its key does not match its certificate",
    );
  }
  return { certificate: der, key: privateKey };
}
