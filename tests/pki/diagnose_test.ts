import assert from "node:assert/strict";
import { createCa } from "../../pki/ca.ts";
import {
  type ClientFiles,
  diagnoseClientIdentity,
} from "../../pki/diagnose.ts";
import { generateKey } from "../../pki/key.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { client, derToPem, inDays, makeCa, now } from "./_identity.ts";

const good = await client();

/** `severity cause: message` of every finding, with whose next step is checked elsewhere. */
async function findings(identity: ClientFiles): Promise<string[]> {
  const found = await diagnoseClientIdentity({ now, ...identity });
  for (const { hint } of found) assert.match(hint, /^[A-Z].*[^.]$/);
  return found.map(({ severity, cause, message }) =>
    `${severity} ${cause}: ${message}`
  );
}

Deno.test("diagnoseClientIdentity finds nothing wrong with a good identity", async () => {
  assert.deepEqual(await findings(good), []);
  assert.deepEqual(await findings({ crt: good.crt, key: good.key }), []);
  const bytes = new TextEncoder();
  assert.deepEqual(
    await findings({
      ca: bytes.encode(good.ca),
      crt: bytes.encode(good.crt),
      key: bytes.encode(good.key),
    }),
    [],
  );
});

Deno.test("diagnoseClientIdentity takes any of several CAs", async () => {
  const old = derToPem((await makeCa()).certificate);
  assert.deepEqual(await findings({ ...good, ca: old + good.ca }), []);
});

Deno.test("diagnoseClientIdentity misses a certificate and a key", async () => {
  for (const nothing of [undefined, "", new Uint8Array()]) {
    assert.deepEqual(await findings({ ...good, crt: nothing }), [
      "error client-missing: Context has no client certificate",
    ]);
    assert.deepEqual(await findings({ ...good, key: nothing }), [
      "error client-missing: Context has no client key",
    ]);
  }
});

Deno.test("diagnoseClientIdentity tells which part is not PEM", async () => {
  const why = 'Cannot read PEM: there is no "-----BEGIN" line';
  assert.deepEqual(await findings({ ...good, crt: "x" }), [
    `error client-malformed: Context has an unusable client certificate: ${why}`,
  ]);
  assert.deepEqual(await findings({ ...good, key: "x" }), [
    `error client-malformed: Context has an unusable client key: ${why}`,
  ]);
  assert.deepEqual(await findings({ ...good, ca: "x" }), [
    `error client-malformed: Context has an unusable certificate authority: ${why}`,
  ]);
});

Deno.test("diagnoseClientIdentity tells that certificate and key were swapped", async () => {
  assert.deepEqual(
    await findings({ ...good, crt: good.key, key: good.crt }),
    [
      "error client-malformed: Context has an unusable client certificate: " +
      'Cannot read PEM: expected "CERTIFICATE", found "ED25519 PRIVATE KEY"',
      "error client-malformed: Context has an unusable client key: " +
      'Cannot read private key: found only "CERTIFICATE"',
    ],
  );
});

for (const algorithm of ["Ed25519", "ECDSA", "RSA"] as const) {
  Deno.test(`diagnoseClientIdentity finds another's ${algorithm} key`, async () => {
    const key = await generateKey(algorithm, { rsaBits: 2048 });
    assert.deepEqual(
      await findings({ ...good, key: encodePrivateKey(key) }),
      [
        "error client-key-mismatch: Client key does not match the client certificate",
      ],
    );
  });
}

Deno.test("diagnoseClientIdentity reports everything, errors first", async () => {
  const expired = await client({
    notBefore: inDays(-50),
    notAfter: inDays(-1),
    extendedKeyUsage: ["serverAuth"],
  });
  const ca = await createCa({ organizations: ["x"] });
  const found = await diagnoseClientIdentity({
    ca: derToPem(ca.certificate),
    crt: expired.crt,
    key: good.key,
    now,
  });
  assert.deepEqual(
    found.map(({ severity, cause }) => [severity, cause]),
    [
      ["error", "client-key-mismatch"],
      ["error", "client-expired"],
      ["error", "client-no-client-auth"],
      ["warning", "client-wrong-ca"],
    ],
  );
});

Deno.test("diagnoseClientIdentity puts an error before a warning found earlier", async () => {
  const { crt, key } = await client({
    notAfter: inDays(10),
    extendedKeyUsage: ["serverAuth"],
  });
  const found = await diagnoseClientIdentity({ crt, key, now });
  assert.deepEqual(
    found.map(({ severity, cause }) => [severity, cause]),
    [["error", "client-no-client-auth"], ["warning", "client-expired"]],
  );
});
