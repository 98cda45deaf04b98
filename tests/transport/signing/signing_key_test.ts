import assert from "node:assert/strict";
import { readKey } from "openpgp";
import {
  checkExpiry,
  findKey,
  serviceAccountKey,
} from "../../../transport/signing/signing_key.ts";
import { made, pgpKey } from "../_pgp.ts";
import { readPgpKey } from "../../../transport/signing/pgp.ts";

const { privateKey } = await pgpKey();

function search(files: Readonly<Record<string, string>>) {
  return {
    identity: "me@here.org",
    context: "prod",
    folders: ["/a", "/b"],
    readText: (path: string) => Promise.resolve(files[path]),
  };
}

Deno.test("findKey takes the key from the first folder that has it", async () => {
  const inBoth = {
    "/a/prod-me@here.org.pgp": privateKey,
    "/b/prod-me@here.org.pgp": "not read",
  };
  const first = await findKey(search(inBoth));
  assert.equal(first.source, "/a/prod-me@here.org.pgp");
  assert.equal(first.identity, "me@here.org");
  const second = await findKey(
    search({ "/b/prod-me@here.org.pgp": privateKey }),
  );
  assert.equal(second.source, "/b/prod-me@here.org.pgp");
});

Deno.test("findKey says where it looked", async () => {
  await assert.rejects(findKey(search({})), {
    name: "ConfigError",
    status: 2,
    message:
      'Cannot sign requests as "me@here.org": there is no key "/a/prod-me@here.org.pgp" or "/b/prod-me@here.org.pgp"',
    hint:
      "Sign in with the client of the service behind the proxy, which writes a new key, or name its folder with --osv1-keys-dir",
  });
});

Deno.test("serviceAccountKey reads name and key", async () => {
  const json = JSON.stringify({ name: "robot", pgp_key: privateKey });
  const encoded = new TextEncoder().encode(json).toBase64();
  const found = await serviceAccountKey(encoded, "ACCOUNT_KEY");
  assert.equal(found.identity, "robot");
  assert.equal(found.source, "ACCOUNT_KEY");
});

Deno.test("serviceAccountKey refuses what is not an account", async () => {
  const texts = ["", "?", "e30=", "bnVsbA==", btoa('{"name":1,"pgp_key":""}')];
  for (const text of texts) {
    await assert.rejects(serviceAccountKey(text, "ACCOUNT_KEY"), {
      name: "ConfigError",
      message: "Cannot use ACCOUNT_KEY: it is not the key of a service account",
    }, text);
  }
});

Deno.test("checkExpiry tells what to do about each kind of key", async () => {
  const json = JSON.stringify({ name: "robot", pgp_key: privateKey });
  const encoded = new TextEncoder().encode(json).toBase64();
  const key = await serviceAccountKey(encoded, "ACCOUNT_KEY");
  checkExpiry(key, made);
  assert.throws(() => checkExpiry(key, new Date("2026-01-02T00:00:00Z")), {
    message:
      'Cannot sign requests with "ACCOUNT_KEY": the key expired on 2026-01-01T04:00:00Z',
    hint: "Renew the service account, and set the variable to its new key",
  });
});

Deno.test("checkExpiry lets a key without an end through", async () => {
  const { privateKey } = await pgpKey({ hours: 0 });
  const key = await findKey(
    search({ "/a/prod-me@here.org.pgp": privateKey }),
  );
  checkExpiry(key, new Date("2099-01-01T00:00:00Z"));
});

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
    ["", "it is not a PGP key in ASCII armor"],
    [privateKey.replaceAll("\n", ""), "it is not a PGP key in ASCII armor"],
    [publicKey, "it has only a public key"],
    [locked.privateKey, "it has a passphrase"],
    [revoked.privateKey ?? "", "it has been revoked"],
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
