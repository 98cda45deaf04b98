import assert from "node:assert/strict";
import { createCa, readCa } from "../../pki/ca.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { generateKey } from "../../pki/key.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { needs, openssl3 } from "../_needs.ts";
import { assertConfigRejection } from "./_errors.ts";
import { client, derToPem, inDays, makeCa } from "./_identity.ts";
import { openssl } from "./_openssl.ts";

function seven(length: number): Uint8Array {
  return new Uint8Array(length).fill(7);
}

async function describe(ca: CertificateAuthority): Promise<string> {
  const { text, problem } = await openssl(
    [
      "x509",
      "-in",
      "crt",
      "-noout",
      "-text",
      "-certopt",
      "no_pubkey,no_sigdump",
      "-nameopt",
      "sname,sep_comma_plus",
    ],
    { crt: derToPem(ca.certificate) },
  );
  assert.notEqual(text, "", problem);
  return text;
}

Deno.test({
  name: "createCa writes exactly what openssl shows here",
  ...needs(openssl3),
  async fn() {
    const ca = await createCa({
      organizations: ["talos"],
      notBefore: new Date("2030-06-01T12:00:00.999Z"),
      notAfter: new Date("2040-05-29T12:00:00Z"),
      random: seven,
    });
    assert.equal(
      await describe(ca),
      `Certificate:
    Data:
        Version: 3 (0x2)
        Serial Number:
            07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07
        Signature Algorithm: ED25519
        Issuer: O=talos
        Validity
            Not Before: Jun  1 12:00:00 2030 GMT
            Not After : May 29 12:00:00 2040 GMT
        Subject: O=talos
        X509v3 extensions:
            X509v3 Key Usage: critical
                Digital Signature, Certificate Sign
            X509v3 Extended Key Usage: 
                TLS Web Server Authentication, TLS Web Client Authentication
            X509v3 Basic Constraints: critical
                CA:TRUE
            X509v3 Subject Key Identifier: 
                07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07
`,
    );
  },
});

for (
  const [algorithm, signature] of [
    ["Ed25519", "ED25519"],
    ["ECDSA", "ecdsa-with-SHA256"],
    ["RSA", "sha512WithRSAEncryption"],
  ] as const
) {
  Deno.test({
    name:
      `createCa with ${algorithm} signs with ${signature} and verifies itself`,
    ...needs(openssl3),
    async fn() {
      const ca = await createCa({
        organizations: ["etcd"],
        algorithm,
        rsaBits: 2048,
      });
      const text = await describe(ca);
      assert.ok(text.includes(`Signature Algorithm: ${signature}\n`), text);
      const crt = derToPem(ca.certificate);
      const args = ["verify", "-CAfile", "crt", "crt"];
      const { text: verdict, problem } = await openssl(args, { crt });
      assert.equal(verdict, "crt: OK\n", problem);
    },
  });
}

Deno.test("createCa with an existing key certifies that key", async () => {
  const { key } = await makeCa();
  const ca = await createCa({ organizations: ["talos"], key });
  assert.deepEqual(ca.key, key);
  const { certificate } = await readCa(
    derToPem(ca.certificate),
    encodePrivateKey(key),
  );
  assert.deepEqual(certificate, ca.certificate);
});

Deno.test("createCa names the uses it is given", async () => {
  const { certificate } = await createCa({
    organizations: ["x"],
    extendedKeyUsage: ["codeSigning", "emailProtection"],
  });
  assert.deepEqual(inspectCertificate(certificate).extendedKeyUsage, [
    "codeSigning",
    "emailProtection",
  ]);
});

Deno.test("createCa lasts 24 hours from now by default", async () => {
  const now = new Date("2030-06-01T12:00:00.500Z");
  const { certificate } = await createCa({ organizations: ["x"], now });
  const { notBefore, notAfter } = inspectCertificate(certificate);
  assert.equal(notBefore.toISOString(), "2030-06-01T12:00:00.000Z");
  assert.equal(notAfter.toISOString(), "2030-06-02T12:00:00.000Z");
});

Deno.test("createCa draws 16 bytes for the serial number and 20 for the key", async () => {
  const drawn: number[] = [];
  await createCa({
    organizations: ["x"],
    random: (length) => {
      drawn.push(length);
      return seven(length);
    },
  });
  assert.deepEqual(drawn.toSorted(), [16, 20]);
});

Deno.test("createCa refuses an end before the beginning", async () => {
  await assertConfigRejection(
    createCa({
      organizations: ["x"],
      notBefore: inDays(1),
      notAfter: inDays(0),
    }),
    "Cannot write a certificate that is valid from 2030-06-02T12:00:00.000Z to 2030-06-01T12:00:00.000Z",
  );
});

Deno.test("readCa refuses a certificate that may not sign", async () => {
  const { crt, key } = await client();
  await assertConfigRejection(
    readCa(crt, key),
    "Cannot use certificate authority: its certificate is not a CA certificate",
  );
});

Deno.test("readCa refuses another's key", async () => {
  const { certificate } = await makeCa();
  const key = await generateKey();
  await assertConfigRejection(
    readCa(derToPem(certificate), encodePrivateKey(key)),
    "Cannot use certificate authority: its key does not match its certificate",
  );
});
