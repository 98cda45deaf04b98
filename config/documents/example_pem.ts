/** Certificates and keys for examples: right in form, of no use to anybody. */

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
