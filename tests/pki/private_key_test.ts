import assert from "node:assert/strict";
import fc from "fast-check";
import { generateKey } from "../../pki/key.ts";
import { decodePem, encodePem } from "../../pki/pem.ts";
import {
  decodePrivateKey,
  encodePkcs8,
  encodePrivateKey,
} from "../../pki/private_key.ts";
import { assertConfigError, onlyConfigErrors } from "./_errors.ts";

// The examples of RFC 8410, 10.3.
const seedOnly = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
`;
const withPublicKey = `-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
`;

Deno.test("decodePrivateKey reads Ed25519 with and without the public key", () => {
  const key = decodePrivateKey(seedOnly);
  assert.equal(key.algorithm, "Ed25519");
  assert.equal(encodePkcs8(key), seedOnly);
  assert.equal(encodePkcs8(decodePrivateKey(withPublicKey)), seedOnly);
});

Deno.test("encodePrivateKey labels Ed25519 as nodes do", () => {
  assert.equal(
    encodePrivateKey(decodePrivateKey(seedOnly)),
    seedOnly.replaceAll(" PRIVATE KEY", " ED25519 PRIVATE KEY"),
  );
});

for (
  const [algorithm, label] of [
    ["Ed25519", "ED25519 PRIVATE KEY"],
    ["ECDSA", "EC PRIVATE KEY"],
    ["RSA", "RSA PRIVATE KEY"],
  ] as const
) {
  Deno.test(`decodePrivateKey reads ${label} and the same key as PKCS#8`, async () => {
    const key = await generateKey(algorithm, { rsaBits: 2048 });
    const pem = encodePrivateKey(key);
    assert.equal(decodePem(pem)[0]?.label, label);
    assert.deepEqual(decodePrivateKey(pem), key);
    assert.deepEqual(decodePrivateKey(encodePkcs8(key)), key);
    assert.equal(encodePrivateKey(decodePrivateKey(encodePkcs8(key))), pem);
  });
}

for (
  const [what, pem, message] of [
    [
      "a certificate",
      encodePem("CERTIFICATE", Uint8Array.of(5, 0)),
      'found only "CERTIFICATE"',
    ],
    ["two keys", seedOnly + seedOnly, "found 2 keys"],
    [
      "an encrypted key",
      encodePem("ENCRYPTED PRIVATE KEY", Uint8Array.of(5, 0)),
      "it is encrypted",
    ],
    [
      "a label it does not know",
      encodePem("DSA PRIVATE KEY", Uint8Array.of(5, 0)),
      '"DSA PRIVATE KEY" is not supported',
    ],
    [
      "bytes that are not a key",
      encodePem("PRIVATE KEY", Uint8Array.of(5, 0)),
      "expected tag 0x30, found 0x05",
    ],
    [
      "PKCS#8 under the label of SEC1",
      seedOnly.replaceAll(" PRIVATE", " EC PRIVATE"),
      "its curve is not P-256, P-384 or P-521",
    ],
    [
      "PKCS#8 under the label of PKCS#1",
      seedOnly.replaceAll(" PRIVATE", " RSA PRIVATE"),
      "it is not an RSA key",
    ],
    [
      "an Ed25519 key of 31 bytes",
      encodePem(
        "PRIVATE KEY",
        Uint8Array.fromHex(
          `302d020100300506032b65700421041f${"11".repeat(31)}`,
        ),
      ),
      "an Ed25519 key has 32 bytes",
    ],
    [
      "X25519",
      encodePem(
        "PRIVATE KEY",
        Uint8Array.fromHex(
          `302e020100300506032b656e04220420${"11".repeat(32)}`,
        ),
      ),
      "algorithm 1.3.101.110 is not supported",
    ],
    [
      "X25519 labelled as Ed25519",
      encodePem(
        "ED25519 PRIVATE KEY",
        Uint8Array.fromHex(
          `302e020100300506032b656e04220420${"11".repeat(32)}`,
        ),
      ),
      "expected Ed25519, found 1.3.101.110",
    ],
    [
      "a curve that is not supported",
      encodePem(
        "EC PRIVATE KEY",
        Uint8Array.fromHex("3010020101040211aaa00706052b8104000a"),
      ),
      "its curve is not P-256, P-384 or P-521",
    ],
  ] as const
) {
  Deno.test(`decodePrivateKey refuses ${what}`, () => {
    assertConfigError(
      () => decodePrivateKey(pem),
      `Cannot read private key: ${message}`,
    );
  });
}

Deno.test("decodePrivateKey throws nothing but ConfigError on changed keys", async () => {
  const keys = [
    await generateKey("ECDSA"),
    await generateKey("RSA", { rsaBits: 2048 }),
    decodePrivateKey(seedOnly),
  ];
  const blocks = keys.flatMap((key) => [
    ...decodePem(encodePrivateKey(key)),
    ...decodePem(encodePkcs8(key)),
  ]);
  const changes = fc.array(
    fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...blocks),
      changes,
      ({ label, der }, edits) => {
        const bytes = der.slice();
        // The first bytes are the structure; the rest is mostly numbers.
        for (const [at, byte] of edits) bytes[at % 40] = byte;
        onlyConfigErrors(() => decodePrivateKey(encodePem(label, bytes)));
      },
    ),
    { numRuns: 1000 },
  );
});
