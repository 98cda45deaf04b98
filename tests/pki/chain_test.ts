import assert from "node:assert/strict";
import { createCa } from "../../pki/ca.ts";
import {
  allowsUsage,
  type ChainOptions,
  findCa,
  validityAt,
  verifyChain,
} from "../../pki/chain.ts";
import { encodeDer, encodeOid, encodeSequence } from "../../pki/der_encode.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../pki/inspect.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { assertConfigRejection } from "./_errors.ts";
import { client, inDays, makeCa, now } from "./_identity.ts";

async function problem(
  leaf: Uint8Array,
  cas: readonly Uint8Array[],
  options: Partial<ChainOptions> = {},
): Promise<string> {
  const verdict = await verifyChain(leaf, cas, { now, ...options });
  return verdict.trusted ? "trusted" : verdict.problem;
}

Deno.test("verifyChain trusts what one of the CAs signed", async () => {
  const [old, current] = [await makeCa(), await makeCa()];
  const { der } = await client({ ca: current });
  const both = [old.certificate, current.certificate];
  const verdict = await verifyChain(der, both, { now, usage: "clientAuth" });
  assert.equal(verdict.trusted, true);
  assert.deepEqual(
    verdict.ca,
    inspectCertificate(current.certificate),
  );
});

Deno.test("verifyChain tells apart what can be wrong", async () => {
  const ca = await makeCa({ from: -100, to: 100 });
  const cas = [ca.certificate];
  const { der } = await client({
    ca,
    notBefore: inDays(-10),
    notAfter: inDays(10),
  });
  const long = await client({
    ca,
    notBefore: inDays(-200),
    notAfter: inDays(200),
  });
  const other = await makeCa();
  assert.equal(await problem(der, cas, { now: inDays(11) }), "expired");
  assert.equal(await problem(der, cas, { now: inDays(-11) }), "not-yet-valid");
  assert.equal(
    await problem(long.der, cas, { now: inDays(150) }),
    "ca-expired",
  );
  assert.equal(
    await problem(long.der, cas, { now: inDays(-150) }),
    "ca-not-yet-valid",
  );
  assert.equal(await problem(der, cas, { usage: "serverAuth" }), "wrong-usage");
  assert.equal(await problem(der, [other.certificate]), "wrong-ca");
  assert.equal(await problem(der, []), "wrong-ca");
});

Deno.test("verifyChain does not trust what a certificate without the flag signed", async () => {
  const root = await client();
  const fake = { certificate: root.der, key: decodePrivateKey(root.key) };
  const { der } = await client({ ca: fake });
  assert.equal(await problem(der, [root.der]), "wrong-ca");
});

Deno.test("verifyChain trusts across a CA renewed with its key", async () => {
  const first = await makeCa();
  const second = await createCa({
    organizations: ["talos"],
    key: first.key,
    notBefore: inDays(-1),
    notAfter: inDays(300),
  });
  const { der } = await client({ ca: first });
  assert.notEqual(
    inspectCertificate(first.certificate).subjectKeyId,
    inspectCertificate(second.certificate).subjectKeyId,
  );
  assert.equal(await problem(der, [second.certificate]), "trusted");
});

Deno.test("verifyChain does not trust a critical extension it does not know", async () => {
  const ca = await makeCa();
  const { der } = await client({ ca });
  // The CA's own signature is not looked at, so its certificate can be edited.
  const strange = encodeSequence(
    encodeOid("2.5.29.30"),
    Uint8Array.of(1, 1, 0xff),
    encodeDer(0x04, encodeSequence()),
  );
  const subjectKey = inspectCertificate(ca.certificate).subjectKeyId ?? "";
  const known = `301d0603551d0e04160414${subjectKey}`;
  const padded = strange.toHex();
  const hex = ca.certificate.toHex();
  assert.ok(hex.includes(known));
  const edited = hex.replace(
    known,
    `${padded}${fill(known.length - padded.length)}`,
  );
  assert.equal(
    await problem(der, [Uint8Array.fromHex(edited)]),
    "unknown-extension",
  );
});

/** An unknown extension, of as many hexadecimal digits as asked for. */
function fill(digits: number): string {
  const value = digits / 2 - 8;
  const extension = encodeSequence(
    Uint8Array.fromHex("060455040505"),
    encodeDer(0x04, new Uint8Array(value - 2)),
  );
  return extension.toHex();
}

Deno.test("findCa wants the flag, the key usage and the name", async () => {
  const ca = await makeCa();
  const leaf = inspectCertificate((await client({ ca })).der);
  const facts = inspectCertificate(ca.certificate);
  const changes = {
    "without the flag": { isCa: false, keyUsage: undefined },
    "without the key usage": { keyUsage: ["digitalSignature"] },
    "of another name": { subject: leaf.subject },
  } as const;
  for (const [what, change] of Object.entries(changes)) {
    const found = await findCa(leaf, [{ ...facts, ...change }]);
    assert.equal(found, undefined, what);
  }
  const free = { ...facts, keyUsage: undefined };
  assert.equal(await findCa(leaf, [free]), free);
});

Deno.test("findCa passes by a key that is not supported", async () => {
  const ca = await makeCa();
  const leaf = inspectCertificate((await client({ ca })).der);
  const good = inspectCertificate(ca.certificate);
  // An Ed25519 key that is a byte too short.
  const short = good.spki.toHex().slice(0, -2)
    .replace("302a", "3029").replace("032100", "032000");
  const bad = { ...good, spki: Uint8Array.fromHex(short) };
  assert.equal(await findCa(leaf, [bad, good]), good);
  await assertConfigRejection(
    findCa(leaf, [bad]),
    "Cannot use public key: it is invalid, or its size is not supported",
  );
});

Deno.test("findCa finds a CA that has expired", async () => {
  const ca = await makeCa({ to: -1 });
  const { der } = await client({ ca });
  const facts = inspectCertificate(ca.certificate);
  assert.equal(await findCa(inspectCertificate(der), [facts]), facts);
});

for (
  const [moment, expected] of [
    ["2029-12-31T23:59:59.999Z", "not-yet-valid"],
    ["2030-01-01T00:00:00.000Z", "valid"],
    ["2030-12-31T23:59:59.999Z", "valid"],
    ["2031-01-01T00:00:00.000Z", "expired"],
  ] as const
) {
  Deno.test(`validityAt ${moment} is ${expected}`, () => {
    const year = {
      notBefore: new Date("2030-01-01T00:00:00Z"),
      notAfter: new Date("2030-12-31T23:59:59Z"),
    };
    assert.equal(validityAt(year, new Date(moment)), expected);
  });
}

for (
  const [list, expected] of [
    [undefined, true],
    [["clientAuth"], true],
    [["2.5.29.37.0"], true],
    [["serverAuth"], false],
    [[], false],
  ] as const
) {
  Deno.test(`allowsUsage of ${list?.join() ?? "no list"} is ${expected}`, () => {
    const facts: Pick<CertificateFacts, "extendedKeyUsage"> = {
      extendedKeyUsage: list,
    };
    assert.equal(allowsUsage(facts, "clientAuth"), expected);
  });
}
