import assert from "node:assert/strict";
import { createAuthority } from "../../../pki/authority.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../../pki/inspect.ts";
import { publicSpkiOf } from "../../../pki/key.ts";
import { decodePemAs, encodePem, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import {
  clientKeyPair,
  type KeyPair,
  serverKeyPair,
} from "../../../simulator/etcd/certificates.ts";
import { hasOpenssl, openssl } from "../../pki/_openssl.ts";

const ca = await createAuthority({
  organizations: ["etcd"],
  algorithm: "ECDSA",
});

const node = { hostname: "lab-controlplane-1", addresses: ["10.5.0.2", "::1"] };

async function factsOf(
  { certificate, key }: KeyPair,
): Promise<CertificateFacts> {
  const [der] = decodePemAs(pemLabel.certificate, certificate);
  const facts = inspectCertificate(der);
  const spki = await publicSpkiOf(decodePrivateKey(key));
  assert.equal(facts.spki.toHex(), spki.toHex());
  assert.deepEqual(facts.issuer.organizations, ["etcd"]);
  assert.deepEqual([facts.isCa, facts.keyUsage], [
    false,
    ["digitalSignature", "keyEncipherment"],
  ]);
  return facts;
}

Deno.test("a server's certificate names its node, and it may talk to other members", async () => {
  const facts = await factsOf(await serverKeyPair(ca, node));
  assert.equal(facts.subject.commonName, "lab-controlplane-1");
  assert.deepEqual(facts.extendedKeyUsage, ["serverAuth", "clientAuth"]);
  assert.deepEqual(facts.subjectAltNames, {
    dns: ["lab-controlplane-1", "localhost"],
    ips: ["10.5.0.2", "::1", "127.0.0.1"],
  });
});

Deno.test("a client's certificate serves nobody", async () => {
  const facts = await factsOf(await clientKeyPair(ca, "root"));
  assert.equal(facts.subject.commonName, "root");
  assert.deepEqual(facts.extendedKeyUsage, ["clientAuth"]);
  assert.deepEqual(facts.subjectAltNames, { dns: [], ips: [] });
});

Deno.test("certificates hold for a year, and for clocks an hour behind", async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const facts = await factsOf(await clientKeyPair(ca, "root"));
  const { notBefore, notAfter } = facts;
  const hourMs = 3_600_000;
  assert.equal(notAfter.getTime() - notBefore.getTime(), 8761 * hourMs);
  const since = notBefore.getTime() + hourMs;
  assert.ok(since >= before && since <= Date.now(), `${notBefore}`);
});

Deno.test({
  name: "openssl trusts both with their authority",
  ignore: !hasOpenssl,
  async fn() {
    const files = {
      "ca.crt": encodePem(pemLabel.certificate, ca.certificate),
      "server.crt": (await serverKeyPair(ca, node)).certificate,
      "client.crt": (await clientKeyPair(ca, "root")).certificate,
    };
    for (
      const [purpose, name] of [
        ["sslserver", "server.crt"],
        ["sslclient", "server.crt"],
        ["sslclient", "client.crt"],
      ] as const
    ) {
      const args = ["verify", "-CAfile", "ca.crt", "-purpose", purpose, name];
      const { text, problem } = await openssl(args, files);
      assert.equal(text, `${name}: OK\n`, problem);
    }
  },
});
