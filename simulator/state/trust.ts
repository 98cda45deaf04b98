/** Trust of a node by its configuration: accepted CAs, and the issuer of its certificates. */

import type { Cursor } from "../../config/documents/cursor.ts";
import type {
  EncodedCa,
  SecretsBundle,
} from "../../config/generate/secrets.ts";
import { ConfigError } from "../../errors.ts";
import { readCa } from "../../pki/ca.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import { decodePemAs, encodePem, pemLabel } from "../../pki/pem.ts";
import { type Clock, inRealTime } from "../clock/clock.ts";

/** A certificate, DER. */
export type Certificate = CertificateAuthority["certificate"];

/** Trust in one of the two APIs, of the node or of Kubernetes. */
export interface SimulatedTrust {
  /** Issuer of the server certificate; `undefined` while there is none. */
  readonly issuer: CertificateAuthority | undefined;
  /** CAs whose clients are accepted, the issuer last. */
  readonly accepted: readonly Certificate[];
}

/** CAs in a configuration for one of the two APIs. */
export interface TrustSpec {
  /** The issuer's certificate and key, base64 of PEM; a worker has no key. */
  readonly ca: Partial<EncodedCa>;
  /** Certificates of other accepted CAs, base64 of PEM. */
  readonly others: readonly string[];
}

/** Trust without any CA. */
export const noTrust: SimulatedTrust = { issuer: undefined, accepted: [] };

/** Reads the CAs of one API from a configuration. `section`: `machine` or `cluster` of the main document. */
export function trustSpec(section: Cursor): TrustSpec {
  const ca = section.get("ca");
  return {
    ca: { crt: ca.get("crt").text() ?? "", key: ca.get("key").text() ?? "" },
    others: section.get("acceptedCAs").items().map((item) =>
      item.get("crt").text() ?? ""
    ),
  };
}

/** CAs of one API in the secrets of a cluster. */
export function clusterTrustSpec(
  { certs }: SecretsBundle,
  which: "os" | "k8s",
): TrustSpec {
  return { ca: certs[which], others: [] };
}

/** Trust of a node that has the issuer's key. `clock`: stopped while keys are read; default none. */
export async function ownTrust(
  spec: TrustSpec,
  clock: Pick<Clock, "hold"> = {},
): Promise<SimulatedTrust> {
  const { crt = "", key = "" } = spec.ca;
  const accepted = certificatesIn(spec);
  if (crt === "" || key === "") return { issuer: undefined, accepted };
  try {
    const reading = caIn({ crt, key });
    return { issuer: await inRealTime(clock, reading), accepted };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { issuer: undefined, accepted };
  }
}

/** True if a list includes a CA. */
export function includesCa(
  all: readonly Certificate[],
  { certificate }: Pick<CertificateAuthority, "certificate">,
): boolean {
  return all.some((one) =>
    one === certificate || textOfBytes(one) === textOfBytes(certificate)
  );
}

const texts = new WeakMap<Certificate, string>();

/** Bytes as text, cached, as every call compares certificates. */
function textOfBytes(certificate: Certificate): string {
  const text = texts.get(certificate) ?? certificate.toHex();
  texts.set(certificate, text);
  return text;
}

/** True if both are the same trust. */
export function sameTrust(one: SimulatedTrust, other: SimulatedTrust): boolean {
  return listParts(one).join() === listParts(other).join();
}

/** Encodes certificates as concatenated PEM. */
export function encodeCertificates(
  certificates: readonly Certificate[],
): string {
  return certificates.map((one) => encodePem(pemLabel.certificate, one))
    .join("");
}

const known = new Map<string, Promise<CertificateAuthority>>();

/** Parses a CA, cached: each is in many configurations, and parsing is slow. Throws `ConfigError` if it is invalid. */
export function caIn(ca: EncodedCa): Promise<CertificateAuthority> {
  const id = `${ca.crt} ${ca.key}`;
  const before = known.get(id);
  if (before) return before;
  const issuer = readCa(decodeText(ca.crt), decodeText(ca.key));
  // Rotations keep adding new ones.
  if (known.size > 1_000) known.clear();
  known.set(id, issuer);
  return issuer;
}

/** Certificates of all its CAs, the issuer last. */
export function certificatesIn(
  { ca: { crt = "" }, others }: TrustSpec,
): readonly Certificate[] {
  const all = [...others, crt].map(decodeText).filter((pem) => pem !== "");
  return all.flatMap((pem) => decodePemAs(pemLabel.certificate, pem));
}

function listParts({ issuer, accepted }: SimulatedTrust): readonly string[] {
  const own = issuer ? [issuer.certificate] : [new Uint8Array()];
  return [...own, ...accepted].map(textOfBytes);
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}
