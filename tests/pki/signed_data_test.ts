import assert from "node:assert/strict";
import { readOid, readTime } from "../../pki/der_values.ts";
import { readDer, readElements, readSequence } from "../../pki/der.ts";
import { generateKey } from "../../pki/key.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import {
  makeRsaSigner,
  type RsaSigner,
  signDetached,
} from "../../pki/signed_data.ts";
import { needs, openssl3 } from "../_needs.ts";
import { toContentInfo } from "./_efi.ts";
import { assertConfigRejection } from "./_errors.ts";
import { openssl } from "./_openssl.ts";
import { rsaCrt, rsaKey, rsaPkcs8 } from "./_rsa.ts";

const [certificate] = decodePemAs("CERTIFICATE", rsaCrt);
const content = new TextEncoder().encode("what is signed\r\n\0\xff");
const time = new Date("2026-12-02T03:04:05.678Z");

function signer(): Promise<RsaSigner> {
  return makeRsaSigner(certificate, decodePrivateKey(rsaKey));
}

/** Walks down by positions. */
function findPart(der: Uint8Array, ...path: readonly number[]) {
  return path.reduce((part, index) => {
    const found = readElements(part)[index];
    assert.ok(found !== undefined, `no part ${index} of ${path}`);
    return found;
  }, readDer(der, "signature"));
}

const signerInfo = [4, 0] as const;
const attributes = [...signerInfo, 3] as const;

Deno.test("signDetached names content type, time and digest, in this order", async () => {
  const signed = await signDetached(content, await signer(), time);
  const types = readElements(findPart(signed, ...attributes)).map((attribute) =>
    readOid(readSequence(attribute)[0] ?? attribute)
  );
  assert.deepEqual(types, [
    "1.2.840.113549.1.9.3",
    "1.2.840.113549.1.9.5",
    "1.2.840.113549.1.9.4",
  ]);
  assert.deepEqual(
    readTime(findPart(signed, ...attributes, 1, 1, 0)),
    new Date("2026-12-02T03:04:05Z"),
  );
});

Deno.test("signDetached holds the certificate and not the content", async () => {
  const signed = await signDetached(content, await signer(), time);
  assert.deepEqual(findPart(signed, 3, 0).encoded, certificate);
  assert.equal(
    findPart(signed, 2).encoded.toHex(),
    "300b06092a864886f70d010701",
  );
});

Deno.test({
  name:
    "signDetached writes what openssl writes at the same time, byte for byte",
  ...needs(openssl3),
  async fn() {
    const made = await openssl([
      "smime",
      "-sign",
      "-binary",
      "-nosmimecap",
      "-md",
      "sha256",
      "-outform",
      "DER",
      "-in",
      "content",
      "-signer",
      "crt",
      "-inkey",
      "key",
    ], { content, crt: rsaCrt, key: rsaPkcs8 });
    assert.ok(made.ok, made.problem);
    const then = readTime(findPart(made.bytes, 1, 0, ...attributes, 1, 1, 0));
    const signed = await signDetached(content, await signer(), then);
    assert.equal(toContentInfo(signed).toHex(), made.bytes.toHex());
  },
});

for (const year of ["2026", "2050"]) {
  Deno.test({
    name: `signDetached makes what openssl verifies, in ${year}`,
    ...needs(openssl3),
    async fn() {
      const then = new Date(`${year}-12-02T03:04:05Z`);
      const signed = await signDetached(content, await signer(), then);
      const verify = (content: Uint8Array) =>
        openssl([
          "cms",
          "-verify",
          "-binary",
          "-inform",
          "DER",
          "-in",
          "signature",
          "-content",
          "content",
          "-CAfile",
          "crt",
          "-no_check_time",
          "-purpose",
          "any",
        ], { content, signature: toContentInfo(signed), crt: rsaCrt });
      const verified = await verify(content);
      assert.ok(verified.ok, verified.problem);
      assert.deepEqual(verified.bytes, content);
      const other = await verify(content.toReversed());
      assert.match(other.problem, /verification failure/);
    },
  });
}

Deno.test("makeRsaSigner takes PKCS#1 and PKCS#8 for the same key", async () => {
  const [one, other] = [decodePrivateKey(rsaKey), decodePrivateKey(rsaPkcs8)];
  assert.deepEqual(
    await makeRsaSigner(certificate, one),
    await makeRsaSigner(certificate, other),
  );
});

Deno.test("makeRsaSigner refuses keys that firmware cannot check", async () => {
  for (const algorithm of ["Ed25519", "ECDSA"] as const) {
    await assertConfigRejection(
      makeRsaSigner(certificate, await generateKey(algorithm)),
      `Cannot sign for firmware: expected an RSA key, found ${algorithm}`,
    );
  }
});

Deno.test("makeRsaSigner refuses another's key", async () => {
  await assertConfigRejection(
    makeRsaSigner(certificate, await generateKey("RSA", { rsaBits: 2048 })),
    "Cannot sign for firmware: the key does not match the certificate",
  );
});
