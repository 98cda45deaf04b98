/** Key material of examples: right in form, of no use to anybody. */

/** A certificate, PEM in base64. */
export const exampleCertificate =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBRUMKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

/** A private key, PEM in base64. */
export const exampleKey =
  "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCkFBRUMKLS0tLS1FTkQgUFJJVkFURSBLRVktLS0tLQo=";

/** A certificate with its key. */
export const examplePair = { crt: exampleCertificate, key: exampleKey };

/** 32 bytes in base64. */
export const example32Bytes = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/** 32 other bytes in base64. */
export const exampleOther32Bytes =
  "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

/** A token as joining nodes present it. */
export const exampleToken = "abcdef.0123456789abcdef";
