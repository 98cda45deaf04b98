import assert from "node:assert/strict";
import { leafOf } from "../../../commands/config/_certificate.ts";
import {
  checkIssued,
  type Issued,
  issueLocally,
} from "../../../commands/config/_renewal.ts";
import { createAuthority } from "../../../pki/authority.ts";
import type { Authority } from "../../../pki/certificate.ts";
import { encodePrivateKey } from "../../../pki/private_key.ts";
import { authority, crtOf, inDays, now } from "../../pki/_identity.ts";

const spec = { roles: ["os:admin", "os:reader"], lifetimeMs: 3_600_000, now };
const bytes = (text: string) => new TextEncoder().encode(text);

function filesOf({ certificate, key }: Authority) {
  return { crt: bytes(crtOf(certificate)), key: bytes(encodePrivateKey(key)) };
}

function contextOf({ certificate }: Authority) {
  const ca = bytes(crtOf(certificate)).toBase64();
  return { name: "c", endpoints: [], nodes: [], ca };
}

async function notesOf(ca: Authority, issued: Issued, at = now) {
  const notes: string[] = [];
  await checkIssued(contextOf(ca), issued, {
    now: at,
    note: (text) => void notes.push(text),
  });
  return notes;
}

Deno.test("issueLocally signs a client certificate with a new key each time", async () => {
  const ca = await authority();
  const issued = await issueLocally(filesOf(ca), spec);
  const leaf = leafOf(issued.crt);
  assert.deepEqual(leaf?.subject.organizations, ["os:admin", "os:reader"]);
  assert.deepEqual(leaf.extendedKeyUsage, ["clientAuth"]);
  assert.equal(leaf.notBefore.toISOString(), "2030-06-01T12:00:00.000Z");
  assert.equal(leaf.notAfter.toISOString(), "2030-06-01T13:00:00.000Z");
  assert.match(
    new TextDecoder().decode(issued.key),
    /^-----BEGIN ED25519 PRIVATE KEY-----\n/,
  );
  const other = await issueLocally(filesOf(ca), spec);
  assert.notDeepEqual(other.key, issued.key);
  // A short life is what was asked for, so it is no reason to warn.
  assert.deepEqual(await notesOf(ca, issued), []);
});

Deno.test("issueLocally makes a key of the authority's kind", async () => {
  const ca = await createAuthority({
    organizations: ["x"],
    algorithm: "ECDSA",
    notBefore: inDays(-1),
    notAfter: inDays(9),
  });
  const { key } = await issueLocally(filesOf(ca), spec);
  assert.match(new TextDecoder().decode(key), /^-----BEGIN EC PRIVATE KEY/);
});

Deno.test("issueLocally refuses a key of another authority", async () => {
  const [one, two] = [await authority(), await authority()];
  const files = { ...filesOf(one), key: filesOf(two).key };
  await assert.rejects(issueLocally(files, spec), {
    name: "ConfigError",
    message:
      "Cannot use certificate authority: its key does not belong to its certificate",
  });
});

Deno.test("checkIssued refuses another authority than the context's", async () => {
  const issued = await issueLocally(filesOf(await authority()), spec);
  await assert.rejects(notesOf(await authority(), issued), {
    name: "ConfigError",
    message:
      'Cannot renew the certificate of context "c": the authority that signs is not the one the context trusts',
  });
});

Deno.test("checkIssued refuses a context without authority", async () => {
  const issued = await issueLocally(filesOf(await authority()), spec);
  const context = { name: "c", endpoints: [], nodes: [] };
  await assert.rejects(
    checkIssued(context, issued, { now, note: () => {} }),
    {
      message:
        'Cannot renew the certificate of context "c": it has no authority to check the new one against',
    },
  );
});

Deno.test("checkIssued refuses a key of another certificate and an authority at its end", async () => {
  const ca = await authority();
  const [one, two] = [
    await issueLocally(filesOf(ca), spec),
    await issueLocally(filesOf(ca), spec),
  ];
  await assert.rejects(notesOf(ca, { ...one, key: two.key }), {
    message:
      'Cannot renew the certificate of context "c": Client key does not belong to the client certificate',
  });
  const old = await authority({ from: -50, to: -1 });
  await assert.rejects(notesOf(old, await issueLocally(filesOf(old), spec)), {
    message:
      'Cannot renew the certificate of context "c": Certificate authority expired on 2030-05-31T12:00:00Z',
  });
});

Deno.test("checkIssued only warns when the clock of the node is ahead", async () => {
  const ca = await authority();
  const issued = await issueLocally(filesOf(ca), spec);
  const early = new Date(now.getTime() - 2000);
  assert.deepEqual(await notesOf(ca, issued, early), [
    "warning: Client certificate is valid only from 2030-06-01T12:00:00Z",
  ]);
});
