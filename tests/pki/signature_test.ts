import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigError } from "../../errors.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { verifyWithKey } from "../../pki/signature.ts";
import { needs, openssl3 } from "../_needs.ts";
import { adminPem, caPem, rsaPem, serverPem } from "./_certificates.ts";
import { assertConfigRejection } from "./_errors.ts";
import { openssl } from "./_openssl.ts";

const [ca, admin, server, rsa] = [caPem, adminPem, serverPem, rsaPem].map(
  (pem) => decodePemAs("CERTIFICATE", pem)[0],
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]; // one for each

/** True if the key of one certificate signed the other; both DER. */
function verifySignature(certificate: Uint8Array, issuer: Uint8Array) {
  const { signature } = inspectCertificate(certificate);
  return verifyWithKey(signature, inspectCertificate(issuer).spki);
}

Deno.test("verifyWithKey accepts what the issuer signed", async () => {
  assert.equal(await verifySignature(ca, ca), true);
  assert.equal(await verifySignature(admin, ca), true);
  assert.equal(await verifySignature(server, ca), true);
  assert.equal(await verifySignature(rsa, rsa), true);
});

Deno.test("verifyWithKey refuses another key of the same kind", async () => {
  assert.equal(await verifySignature(ca, admin), false);
});

Deno.test("verifyWithKey refuses a key of another kind", async () => {
  assert.equal(await verifySignature(admin, rsa), false);
  assert.equal(await verifySignature(rsa, ca), false);
});

Deno.test("verifyWithKey refuses a certificate with one bit changed", async () => {
  const bytes = admin.slice();
  const at = bytes.indexOf("Z".charCodeAt(0)); // the end of the first time
  assert.equal(bytes[at - 1], "6".charCodeAt(0));
  bytes[at - 1] = "7".charCodeAt(0);
  assert.equal(await verifySignature(bytes, ca), false);
});

for (
  const [kind, hash] of [
    ["prime256v1", "sha256"],
    ["prime256v1", "sha384"],
    ["secp384r1", "sha384"],
    ["secp521r1", "sha512"],
    ["rsa", "sha256"],
    ["rsa", "sha512"],
  ] as const
) {
  Deno.test({
    name: `verifyWithKey accepts ${kind} with ${hash} from openssl`,
    ...needs(openssl3),
    async fn() {
      const der = await selfSigned(kind, [`-${hash}`]);
      assert.equal(await verifySignature(der, der), true);
      const wrong = der.slice();
      // The lowest byte of the signature.
      wrong[wrong.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
      assert.equal(await verifySignature(wrong, der), false);
    },
  });
}

Deno.test({
  name: "verifyWithKey names an algorithm it does not support",
  ...needs(openssl3),
  async fn() {
    const der = await selfSigned("rsa", ["-sigopt", "rsa_padding_mode:pss"]);
    await assertConfigRejection(
      Promise.resolve().then(() => verifySignature(der, der)),
      "Cannot check a signature: algorithm 1.2.840.113549.1.1.10 is not supported",
    );
  },
});

Deno.test("verifyWithKey refuses ECDSA numbers that are too large", async () => {
  const signature = {
    algorithm: "1.2.840.10045.4.3.2",
    signed: new Uint8Array(),
    value: Uint8Array.fromHex(`3026022101${"00".repeat(32)}020101`),
  };
  const { spki } = inspectCertificate(server);
  assert.equal(await verifyWithKey(signature, spki), false);
});

Deno.test("verifyWithKey refuses a public key that is not a point", async () => {
  const { spki } = inspectCertificate(server);
  const signature = {
    algorithm: "1.2.840.10045.4.3.2",
    signed: new Uint8Array(),
    value: Uint8Array.fromHex("3006020101020101"),
  };
  await assertConfigRejection(
    verifyWithKey(signature, spki.slice().fill(0xff, -64)),
    "Cannot use public key: it is invalid, or its size is not supported",
  );
});

Deno.test("verifyWithKey never accepts a changed certificate, and throws nothing but ConfigError", async () => {
  const change = fc.record({
    original: fc.constantFrom(
      { der: admin, issuer: ca },
      { der: server, issuer: ca },
      { der: rsa, issuer: rsa },
    ),
    at: fc.nat(),
    flip: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(
      change,
      async ({ original: { der, issuer }, at, flip }) => {
        const bytes = der.slice();
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ flip;
        try {
          assert.equal(await verifySignature(bytes, issuer), false);
        } catch (error) {
          assert.ok(error instanceof ConfigError, String(error));
        }
      },
    ),
    { numRuns: 500 },
  );
});

async function selfSigned(
  kind: string,
  options: readonly string[],
): Promise<Uint8Array> {
  const generate = kind === "rsa"
    ? ["genrsa", "2048"]
    : ["ecparam", "-name", kind, "-genkey", "-noout"];
  const { text: key } = await openssl(generate);
  const { bytes, problem } = await openssl(
    [
      ...["req", "-x509", "-new", "-key", "key", "-subj", "/O=x", "-days", "1"],
      ...["-outform", "DER", ...options],
    ],
    { key },
  );
  assert.ok(bytes.length > 0, problem);
  return bytes;
}
