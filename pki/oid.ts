/** Object identifiers of algorithms, name parts and extensions. */

/** Public key algorithms and curves (RFC 8410, RFC 5480, RFC 8017). */
export const keyOid = {
  ed25519: "1.3.101.112",
  ec: "1.2.840.10045.2.1",
  rsa: "1.2.840.113549.1.1.1",
} as const;

/** Curves of ECDSA keys, named as WebCrypto names them. */
export type Curve = "P-256" | "P-384" | "P-521";

/** Curve to its object identifier (RFC 5480, 2.1.1.1). */
export const curveOid: Readonly<Record<Curve, string>> = {
  "P-256": "1.2.840.10045.3.1.7",
  "P-384": "1.3.132.0.34",
  "P-521": "1.3.132.0.35",
};

/** Supported parts of names (RFC 5280, appendix A.1). */
export const nameOid = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
} as const;

/** Supported certificate extensions (RFC 5280, 4.2.1). */
export const extensionOid = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

/** Request attribute with the requested extensions (RFC 2985, 5.4.2). */
export const extensionRequestOid = "1.2.840.113549.1.9.14";

/** Extended key usages with a name (RFC 5280, 4.2.1.12). */
export const usageOid = {
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  codeSigning: "1.3.6.1.5.5.7.3.3",
  emailProtection: "1.3.6.1.5.5.7.3.4",
} as const;

/** Name of an extended key usage. */
export type ExtendedKeyUsage = keyof typeof usageOid;

/** Extended key usage for all purposes (RFC 5280, 4.2.1.12). */
export const anyUsageOid = "2.5.29.37.0";

/** Identifiers in signed messages (RFC 5652, RFC 2985, RFC 5754). */
export const signedDataOid = {
  data: "1.2.840.113549.1.7.1",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;

/** Curve of an object identifier. Returns `undefined` for an unsupported one. */
export function findCurve(oid: string): Curve | undefined {
  const curves = Object.keys(curveOid) as Curve[]; // the record's own keys
  return curves.find((curve) => curveOid[curve] === oid);
}
