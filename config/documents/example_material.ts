/** Key material for examples. */

/** A self-signed certificate, PEM. */
export const examplePemCertificate = `-----BEGIN CERTIFICATE-----
MIIBODCB66ADAgECAhQYHM2P0kTWNCLvm4TgRsYIt9PtSTAFBgMrZXAwEjEQMA4G
A1UEAwwHRXhhbXBsZTAeFw0yNjExMjAyMzUyMDRaFw0zNjExMTcyMzUyMDRaMBIx
EDAOBgNVBAMMB0V4YW1wbGUwKjAFBgMrZXADIQCa0Yler5ow7WjxYsZWeJEOuO0M
c1Q2LjAFZkSLi56NqqNTMFEwHQYDVR0OBBYEFChIKMJkC7hNJ/VuKFeF4uzNr3Kr
MB8GA1UdIwQYMBaAFChIKMJkC7hNJ/VuKFeF4uzNr3KrMA8GA1UdEwEB/wQFMAMB
Af8wBQYDK2VwA0EA5auH+nISEHh9829r9hjIc8JvMhsfbmPVfIMGewo9EiJXnnoQ
CT+nB/9Xmh+eJacjqw6xC8e9qaxve4Ri7kUBCw==
-----END CERTIFICATE-----
`;

/** The key of bytes 0 to 31, PEM. */
export const examplePemKey = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END PRIVATE KEY-----
`;

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

/** A join token. */
export const exampleToken = "abcdef.0123456789abcdef";
