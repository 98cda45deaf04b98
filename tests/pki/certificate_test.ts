import assert from "node:assert/strict";
import fc from "fast-check";
import { createCa } from "../../pki/ca.ts";
import {
  issueCertificate,
  newSerial,
  resolveValidity,
} from "../../pki/certificate.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { createRequest, inspectRequest } from "../../pki/request.ts";
import { needs, openssl3 } from "../_needs.ts";
import { assertConfigError, assertConfigRejection } from "./_errors.ts";
import { derToPem, makeCa } from "./_identity.ts";
import { openssl } from "./_openssl.ts";
import { ConfigError } from "../../errors.ts";

function seven(length: number): Uint8Array {
  return new Uint8Array(length).fill(7);
}

Deno.test({
  name: "issueCertificate writes exactly what openssl shows here",
  ...needs(openssl3),
  async fn() {
    const ca = await createCa({ organizations: ["talos"], random: seven });
    const der = await issueCertificate({
      ca,
      publicKey: await exportPublicSpki(await generateKey()),
      subject: { organizations: ["os:reader", "os:admin"] },
      subjectAltNames: { dns: ["node.example.org"], ips: ["fd00::2"] },
      notBefore: new Date("2049-12-31T23:59:59Z"),
      notAfter: new Date("2050-01-01T00:00:00Z"),
      random: (length) => seven(length).fill(0xff, 0, 1),
    });
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
      { crt: derToPem(der) },
    );
    assert.equal(
      text,
      `Certificate:
    Data:
        Version: 3 (0x2)
        Serial Number:
            ff:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07
        Signature Algorithm: ED25519
        Issuer: O=talos
        Validity
            Not Before: Dec 31 23:59:59 2049 GMT
            Not After : Jan  1 00:00:00 2050 GMT
        Subject: O=os:admin+O=os:reader
        X509v3 extensions:
            X509v3 Key Usage: critical
                Digital Signature
            X509v3 Extended Key Usage: 
                TLS Web Server Authentication, TLS Web Client Authentication
            X509v3 Authority Key Identifier: 
                07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07
            X509v3 Subject Alternative Name: 
                DNS:node.example.org, IP Address:FD00:0:0:0:0:0:0:2
`,
      problem,
    );
    const hex = der.toHex();
    assert.ok(hex.includes(`170d${makeHex("491231235959Z")}`));
    assert.ok(hex.includes(`180f${makeHex("20500101000000Z")}`));
  },
});

for (
  const [usage, purpose, other] of [
    ["clientAuth", "sslclient", "sslserver"],
    ["serverAuth", "sslserver", "sslclient"],
  ] as const
) {
  for (const algorithm of ["Ed25519", "ECDSA", "RSA"] as const) {
    Deno.test({
      name:
        `issueCertificate for ${usage} by ${algorithm} serves ${purpose} only`,
      ...needs(openssl3),
      async fn() {
        const ca = await createCa({
          organizations: ["talos"],
          algorithm,
          rsaBits: 2048,
        });
        const der = await issueCertificate({
          ca,
          publicKey: await exportPublicSpki(await generateKey("ECDSA")),
          subject: { organizations: ["os:admin"] },
          extendedKeyUsage: [usage],
        });
        const files = { ca: derToPem(ca.certificate), crt: derToPem(der) };
        const verify = (name: string) =>
          openssl(["verify", "-purpose", name, "-CAfile", "ca", "crt"], files);
        const good = await verify(purpose);
        assert.equal(good.text, "crt: OK\n", good.problem);
        assert.equal((await verify(other)).ok, false);
      },
    });
  }
}

Deno.test("issueCertificate refuses a request another user signed", async () => {
  const request = await createRequest({
    key: await generateKey(),
    organizations: ["os:admin"],
  });
  request[request.length - 1] = (request.at(-1) ?? 0) ^ 1;
  await assertConfigRejection(
    issueCertificate({ ca: await makeCa(), request }),
    "Cannot accept certificate request: its signature is wrong",
  );
});

Deno.test("issueCertificate marks names critical when the subject is empty", async () => {
  const der = await issueCertificate({
    ca: await makeCa(),
    publicKey: await exportPublicSpki(await generateKey()),
    subject: { organizations: [] },
    subjectAltNames: { dns: ["a.b"] },
  });
  // Identifier of the extension, then TRUE.
  assert.ok(der.toHex().includes("0603551d11" + "0101ff"));
});

Deno.test("issueCertificate takes the key usage it is given", async () => {
  const der = await issueCertificate({
    ca: await makeCa(),
    publicKey: await exportPublicSpki(await generateKey("ECDSA")),
    subject: { organizations: ["x"] },
    keyUsage: ["digitalSignature", "keyEncipherment"],
  });
  assert.deepEqual(inspectCertificate(der).keyUsage, [
    "digitalSignature",
    "keyEncipherment",
  ]);
});

Deno.test("issueCertificate repeats the issuer's name byte by byte", async () => {
  const ca = await createCa({ organizations: ["é", "b"] });
  const der = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(await generateKey()),
    subject: { organizations: ["x"] },
  });
  assert.deepEqual(
    inspectCertificate(der).issuer.der,
    inspectCertificate(ca.certificate).subject.der,
  );
});

for (const [p, hash] of [["P-384", "384"], ["P-521", "512"]] as const) {
  Deno.test({
    name: `issueCertificate by a CA on ${p} signs with SHA-${hash}`,
    ...needs(openssl3),
    async fn() {
      const { text: pem } = await openssl([
        ...["genpkey", "-algorithm", "EC"],
        ...["-pkeyopt", `ec_paramgen_curve:${p}`],
      ]);
      const key = decodePrivateKey(pem);
      const ca = await createCa({ organizations: ["x"], key });
      const crt = derToPem(ca.certificate);
      const { text } = await openssl(
        ["x509", "-in", "crt", "-noout", "-text"],
        { crt },
      );
      assert.ok(text.includes(`Signature Algorithm: ecdsa-with-SHA${hash}\n`));
      const verified = await openssl(["verify", "-CAfile", "crt", "crt"], {
        crt,
      });
      assert.equal(verified.text, "crt: OK\n", verified.problem);
    },
  });
}

Deno.test("resolveValidity refuses times that are none, or that no certificate can hold", () => {
  assertConfigError(
    () => resolveValidity({ notBefore: new Date(NaN) }),
    "Cannot write a certificate that is valid from an invalid time to an invalid time",
  );
  assertConfigError(
    () =>
      resolveValidity({
        notBefore: new Date("2030-01-01T00:00:00Z"),
        notAfter: new Date("+010000-01-01T00:00:00Z"),
      }),
    "Cannot write a certificate that is valid from 2030-01-01T00:00:00.000Z to +010000-01-01T00:00:00.000Z",
  );
});

Deno.test("resolveValidity refuses a beginning before 1950", () => {
  assertConfigError(
    () => resolveValidity({ notBefore: new Date("1949-12-31T23:59:59Z") }),
    "Cannot write a certificate that is valid from 1949-12-31T23:59:59.000Z to 1950-01-01T23:59:59.000Z",
  );
});

Deno.test("newSerial is positive and keeps all 128 bits", () => {
  assert.equal(
    newSerial((length) => new Uint8Array(length)),
    `${"0".repeat(31)}1`,
  );
  assert.equal(newSerial((length) => seven(length).fill(0xff)), "f".repeat(32));
  assert.equal(new Set([newSerial(), newSerial()]).size, 2);
});

function makeHex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}

Deno.test({
  name: "inspectRequest reads a request of openssl with other attributes",
  ...needs(openssl3),
  async fn() {
    const config = `[req]
prompt = no
distinguished_name = name
attributes = more
req_extensions = wanted
[name]
O = x
[more]
challengePassword = 12345
[wanted]
subjectAltName = IP:10.0.0.9
`;
    const { bytes, problem } = await openssl([
      ...["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "key"],
      ...["-config", "config", "-outform", "DER"],
    ], { config });
    assert.ok(bytes.length > 0, problem);
    const facts = await inspectRequest(bytes);
    assert.deepEqual(facts.subject.organizations, ["x"]);
    assert.deepEqual(facts.subjectAltNames, { dns: [], ips: ["10.0.0.9"] });
  },
});

Deno.test("inspectRequest refuses what is not a request", async () => {
  await assertConfigRejection(
    inspectRequest(Uint8Array.of(0x30, 0)),
    "Cannot read certificate request: it has no signature",
  );
});

Deno.test("inspectRequest accepts no changed request, and throws nothing but ConfigError", async () => {
  const request = await createRequest({
    key: await generateKey(),
    organizations: ["os:reader"],
    subjectAltNames: { ips: ["10.0.0.1"] },
  });
  const flip = fc.integer({ min: 1, max: 255 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), flip, async (at, bits) => {
      const bytes = request.slice();
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ bits;
      const error = await inspectRequest(bytes).then(
        () => undefined,
        (error) => error,
      );
      assert.ok(error instanceof ConfigError, String(error));
    }),
    { numRuns: 300 },
  );
});
