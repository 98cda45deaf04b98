import assert from "node:assert/strict";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { inspectRequest } from "../../pki/request.ts";
import { encodeName } from "../../pki/name.ts";
import {
  type CertificateContent,
  type ExtensionSpec,
  writeCertificate,
  writeRequest,
} from "../../pki/x509.ts";
import { assertConfigRejection } from "./_errors.ts";
import { inDays, now } from "./_identity.ts";

const key = await generateKey();
const name = encodeName({ organizations: ["x"] });
const content: CertificateContent = {
  issuer: name,
  subject: encodeName({ organizations: ["y", "z"] }),
  publicKey: await exportPublicSpki(key),
  key,
  serial: "00ab",
  notBefore: now,
  notAfter: inDays(1),
  extensions: {},
};

async function write(extensions: ExtensionSpec): Promise<string> {
  return (await writeCertificate({ ...content, extensions })).toHex();
}

Deno.test("writeCertificate writes a CA's extensions in the order of nodes", async () => {
  const written = await write({
    subjectKeyId: "aabb",
    isCa: true,
    extendedKeyUsage: ["serverAuth", "clientAuth"],
    keyUsage: ["digitalSignature", "keyCertSign"],
  });
  const extensions = "300e0603551d0f0101ff0404" + "03020284" +
    "301d0603551d250416" + "301406082b0601050507030106082b06010505070302" +
    "300f0603551d130101ff0405" + "30030101ff" +
    "300b0603551d0e0404" + "0402aabb";
  assert.ok(written.includes(`a34f304d${extensions}`), written);
});

Deno.test("writeCertificate writes the issuer's key before names and addresses", async () => {
  const written = await write({
    subjectAltNames: { ips: ["10.0.0.1"], dns: ["a.b"] },
    authorityKeyId: "aabb",
  });
  const extensions = "300d0603551d230406" + "30048002aabb" +
    "30140603551d11040d" + "300b8203612e6287040a000001";
  assert.ok(written.includes(`a3273025${extensions}`), written);
});

Deno.test("writeCertificate refuses an address that is none", async () => {
  await assertConfigRejection(
    write({ subjectAltNames: { ips: ["10.0.0.256"] } }),
    'Cannot write a certificate: "10.0.0.256" is not an IP address',
  );
});

Deno.test("writeCertificate refuses a key that is none", async () => {
  const broken = { ...key, pkcs8: key.pkcs8.subarray(1) };
  await assertConfigRejection(
    writeCertificate({ ...content, key: broken }),
    "Cannot use private key: it is invalid, or its size is not supported",
  );
});

Deno.test("writeRequest asks for the names it is given", async () => {
  const request = await writeRequest({
    subject: name,
    key,
    extensions: { subjectAltNames: { dns: ["a.b"] } },
  });
  const facts = await inspectRequest(request);
  assert.deepEqual(facts.subject.der, name);
  assert.deepEqual(facts.subjectAltNames, { dns: ["a.b"], ips: [] });
});
