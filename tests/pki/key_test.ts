import assert from "node:assert/strict";
import {
  exportPublicSpki,
  generateKey,
  importSigningKey,
  platformBytes,
  signingAlgorithm,
} from "../../pki/key.ts";
import { encodePem } from "../../pki/pem.ts";
import { encodePkcs8, encodePrivateKey } from "../../pki/private_key.ts";
import { needs, openssl3 } from "../_needs.ts";
import { assertConfigRejection } from "./_errors.ts";
import { openssl } from "./_openssl.ts";

// The example of RFC 8410, 10.1 and 10.3.
const example = encodePem(
  "PRIVATE KEY",
  Uint8Array.fromHex(
    "302e020100300506032b657004220420" +
      "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842",
  ),
);

Deno.test("exportPublicSpki computes the public key of the example in RFC 8410", async () => {
  assert.equal(
    encodePem("PUBLIC KEY", await exportPublicSpki(example)),
    "-----BEGIN PUBLIC KEY-----\n" +
      "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n" +
      "-----END PUBLIC KEY-----\n",
  );
});

for (const algorithm of ["Ed25519", "ECDSA", "RSA"] as const) {
  Deno.test({
    name: `generateKey makes a key for ${algorithm} that openssl reads alike`,
    ...needs(openssl3),
    async fn() {
      const key = await generateKey(algorithm, { rsaBits: 2048 });
      const spki = await exportPublicSpki(key);
      const { bytes, problem } = await openssl(
        ["pkey", "-in", "key", "-pubout", "-outform", "DER"],
        { key: encodePkcs8(key) },
      );
      assert.equal(bytes.toHex(), spki.toHex(), problem);
    },
  });
}

for (const algorithm of ["ECDSA", "RSA"] as const) {
  Deno.test({
    name: `encodePrivateKey of ${algorithm} is read by openssl under its label`,
    ...needs(openssl3),
    async fn() {
      const key = await generateKey(algorithm, { rsaBits: 2048 });
      const { text, problem } = await openssl(
        ["pkey", "-in", "key", "-check", "-noout"],
        { key: encodePrivateKey(key) },
      );
      assert.equal(text, "Key is valid\n", problem);
    },
  });
}

for (
  const [what, args] of [
    ["Ed25519", ["genpkey", "-algorithm", "ed25519"]],
    ["P-256 with parameters", ["ecparam", "-name", "prime256v1", "-genkey"]],
    ["P-384", ["ecparam", "-name", "secp384r1", "-genkey", "-noout"]],
    ["P-521", ["ecparam", "-name", "secp521r1", "-genkey", "-noout"]],
    ["P-384 in PKCS#8", [
      "genpkey",
      "-algorithm",
      "EC",
      "-pkeyopt",
      "ec_paramgen_curve:P-384",
    ]],
    ["RSA in PKCS#1", ["genrsa", "-traditional", "2048"]],
    ["RSA in PKCS#8", ["genrsa", "2048"]],
  ] as const
) {
  Deno.test({
    name: `exportPublicSpki reads ${what} from openssl`,
    ...needs(openssl3),
    async fn() {
      const { text: key } = await openssl(args);
      const { bytes } = await openssl(
        ["pkey", "-in", "key", "-pubout", "-outform", "DER"],
        { key },
      );
      assert.equal((await exportPublicSpki(key)).toHex(), bytes.toHex());
      assert.ok(bytes.length > 40);
    },
  });
}

for (const searches of [1, 2]) {
  Deno.test({
    name:
      `generateKey takes the first RSA key of ${searches} searched for, and its exponent is 65537`,
    ...needs(openssl3),
    // The second search continues in a thread of the platform, and no caller waits for it.
    sanitizeOps: searches === 1,
    async fn() {
      const key = await generateKey("RSA", { rsaBits: 2048, searches });
      const { text, problem } = await openssl(
        ["rsa", "-in", "key", "-check", "-text", "-noout"],
        { key: encodePrivateKey(key) },
      );
      assert.match(text, /^Private-Key: \(2048 bit, 2 primes\)/, problem);
      assert.match(text, /publicExponent: 65537 \(0x10001\)\n/);
      assert.match(text, /RSA key ok\n/);
    },
  });
}

Deno.test("generateKey makes Ed25519 keys by default", async () => {
  const key = await generateKey();
  assert.deepEqual([key.algorithm, key.curve], ["Ed25519", undefined]);
  assert.equal(key.pkcs8.length, 48);
});

Deno.test("exportPublicSpki refuses an EC key whose public half is another's", async () => {
  const one = await generateKey("ECDSA");
  const other = await generateKey("ECDSA");
  const mixed = one.pkcs8.slice();
  mixed.set(other.pkcs8.subarray(-64), mixed.length - 64);
  await assertConfigRejection(
    exportPublicSpki(encodePem("PRIVATE KEY", mixed)),
    "Cannot use private key: it is invalid, or its size is not supported",
  );
});

Deno.test("importSigningKey refuses numbers that are not a key", async () => {
  const key = await generateKey("Ed25519");
  await assertConfigRejection(
    importSigningKey({ ...key, pkcs8: key.pkcs8.subarray(1) }),
    "Cannot use private key: it is invalid, or its size is not supported",
  );
});

for (
  const [algorithm, curve, hash] of [
    ["ECDSA", "P-256", "SHA-256"],
    ["ECDSA", "P-384", "SHA-384"],
    ["ECDSA", "P-521", "SHA-512"],
    ["RSA", undefined, "SHA-512"],
  ] as const
) {
  Deno.test(`signingAlgorithm of ${algorithm} ${curve ?? ""} hashes with ${hash}`, () => {
    assert.equal(signingAlgorithm({ algorithm, curve }).hash, hash);
  });
}

Deno.test("platformBytes gives as many bytes as asked for, others every time", () => {
  const first = platformBytes(32);
  assert.equal(first.length, 32);
  assert.notDeepEqual(platformBytes(32), first);
});
