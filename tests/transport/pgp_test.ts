import assert from "node:assert/strict";
import { readKey } from "openpgp";
import { readPgpKey } from "../../transport/pgp.ts";
import { pgpKey } from "./_pgp.ts";

Deno.test("readPgpKey tells fingerprint and end of a key", async () => {
  const { privateKey, publicKey } = await pgpKey();
  const key = await readPgpKey(privateKey, "k.pgp");
  const known = await readKey({ armoredKey: publicKey });
  assert.equal(key.fingerprint, known.getFingerprint());
  assert.deepEqual(key.expires, new Date("2026-01-01T04:00:00Z"));
  const endless = await pgpKey({ hours: 0 });
  const other = await readPgpKey(endless.privateKey, "k.pgp");
  assert.equal(other.expires, undefined);
});

Deno.test("readPgpKey refuses what cannot sign by itself", async () => {
  const { publicKey, revocationCertificate, privateKey } = await pgpKey();
  const locked = await pgpKey({ passphrase: "secret" });
  const { revokeKey } = await import("openpgp");
  const revoked = await revokeKey({
    key: await readKey({ armoredKey: privateKey }),
    revocationCertificate,
    format: "armored",
  });
  const cases = [
    ["", "it is no PGP key in ASCII armor"],
    [privateKey.replaceAll("\n", ""), "it is no PGP key in ASCII armor"],
    [publicKey, "it has only the public half of a key"],
    [locked.privateKey, "it has a passphrase"],
    [revoked.privateKey ?? "", "it was revoked"],
  ] as const;
  for (const [text, why] of cases) {
    await assert.rejects(readPgpKey(text, "k.pgp"), {
      name: "ConfigError",
      message: `Cannot sign requests with "k.pgp": ${why}`,
      hint: "Use a private key without a passphrase, in ASCII armor",
    });
  }
});

Deno.test("readPgpKey makes a key whose signatures differ only by text and time", async () => {
  const { privateKey } = await pgpKey();
  const key = await readPgpKey(privateKey, "k.pgp");
  const now = new Date("2026-01-01T01:00:00Z");
  const one = await key.sign("text", now);
  assert.deepEqual(await key.sign("text", now), one);
  assert.notDeepEqual(await key.sign("texts", now), one);
});
