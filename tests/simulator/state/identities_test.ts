import assert from "node:assert/strict";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import {
  clientCredentials,
  serverIdentity,
} from "../../../simulator/state/identities.ts";
import { madeNodes, noon } from "../_node.ts";

function certificate(pem: string) {
  return inspectCertificate(decodePemAs("CERTIFICATE", pem)[0]);
}

Deno.test("a client's certificate holds its roles, is for clients and lasts a year", async () => {
  const [node] = await madeNodes();
  const { crt, key } = await clientCredentials(node!.cluster.osCa, [
    "os:reader",
  ], { notBefore: new Date(noon) });
  const { subject, extendedKeyUsage, notAfter } = certificate(crt);
  assert.deepEqual(subject.organizations, ["os:reader"]);
  assert.deepEqual(extendedKeyUsage, ["clientAuth"]);
  assert.equal(notAfter.toISOString(), "2027-03-01T12:00:00.000Z");
  assert.match(key, /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
});

Deno.test("a server's certificate names where the node listens and how it is known", async () => {
  const [node] = await madeNodes();
  const { certificate: pem, clientCas } = await serverIdentity(
    node!,
    "localhost",
  );
  const { subjectAltNames, extendedKeyUsage } = certificate(pem);
  assert.deepEqual(subjectAltNames, {
    dns: ["lab-controlplane-1", "localhost"],
    ips: ["10.5.0.2"],
  });
  assert.deepEqual(extendedKeyUsage, ["serverAuth"]);
  assert.ok(clientCas);
});

Deno.test("a node without configuration signs for itself and asks for no client certificate", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  const { certificate: pem, clientCas } = await serverIdentity(
    node!,
    "127.0.0.1",
  );
  const { authorityKeyId } = certificate(pem);
  const { subjectKeyId } = inspectCertificate(
    node!.cluster.osCa.certificate,
  );
  assert.notEqual(authorityKeyId, subjectKeyId);
  assert.equal(clientCas, undefined);
});
