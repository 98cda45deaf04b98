import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { spkiFingerprint } from "../../../pki/fingerprint.ts";
import { decodePemAs, pemLabel } from "../../../pki/pem.ts";
import { formatFingerprint } from "../../../transport/connect/trust.ts";
import { newCa, serverPair } from "../_certificates.ts";

Deno.test("formatFingerprint is base64 of SHA-256 of the key", async () => {
  // Made with openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64.
  const certificate = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIBRTCB+KADAgECAhQdaRkcEdRKw2XSPLajkgpB5XLbCTAFBgMrZXAwEDEOMAwG
A1UEAwwFbWFpbnQwHhcNMjYxMTIwMjA1NDIzWhcNMjcwMjI4MjA1NDIzWjAQMQ4w
DAYDVQQDDAVtYWludDAqMAUGAytlcAMhAGPhCj8RzMjSGxk162rGsHoRDxeQuymX
iuAibcLqqJOwo2QwYjAdBgNVHQ4EFgQUfkAnzWfKOVEPBuZ8w/98EKpRlV8wHwYD
VR0jBBgwFoAUfkAnzWfKOVEPBuZ8w/98EKpRlV8wDwYDVR0TAQH/BAUwAwEB/zAP
BgNVHREECDAGhwR/AAABMAUGAytlcANBAKH8IHX9lUAKucflBTIOUNmqBaHnKGgf
DzJUu5BSr4Ex8XkJb1ABU84WMsQnnxm+5wo3bAJkLqeBJ3c1qUbQEwM=
-----END CERTIFICATE-----`);
  assert.equal(
    await formatFingerprint(certificate),
    "1ZkzWVo8Cozi/OyzS4sG7ZUv65l7PYXnQ8KPxFoQD2c=",
  );
});

Deno.test("formatFingerprint is what the certificates' own code computes", async () => {
  const { crt } = await serverPair(await newCa());
  const [der] = decodePemAs(pemLabel.certificate, crt);
  assert.equal(
    await formatFingerprint(new X509Certificate(crt)),
    await spkiFingerprint(der!),
  );
});
