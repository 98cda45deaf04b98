import assert from "node:assert/strict";
import { renderAdminOsconfig } from "../../../config/generate/client.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { decodeText, madeAt, someSecrets } from "./_bundle.ts";

const key = decodePrivateKey(`-----BEGIN ED25519 PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END ED25519 PRIVATE KEY-----
`);
const spec = { clusterName: "test", secrets: someSecrets, now: madeAt };

async function parseContext(text: string) {
  const { current, contexts } = await parseOsconfig(text, "osconfig");
  assert.equal(current, "test");
  const context = contexts.get("test");
  assert.ok(context?.crt !== undefined && context.key !== undefined);
  return {
    ...context,
    crt: decodeText(context.crt),
    key: decodeText(context.key),
  };
}

Deno.test("the client configuration of an administrator has talosctl's layout", async () => {
  const text = await renderAdminOsconfig({ ...spec, key });
  const { os } = someSecrets.certs;
  const crt = /\n {8}crt: ([A-Za-z0-9+/=]+)\n/.exec(text)?.[1];
  assert.equal(
    text,
    `context: test
contexts:
    test:
        endpoints: []
        ca: ${os.crt}
        crt: ${crt}
        key: LS0tLS1CRUdJTiBFRDI1NTE5IFBSSVZBVEUgS0VZLS0tLS0KTUM0Q0FRQXdCUVlESzJWd0JDSUVJQUFCQWdNRUJRWUhDQWtLQ3d3TkRnOFFFUklURkJVV0Z4Z1pHaHNjSFI0ZgotLS0tLUVORCBFRDI1NTE5IFBSSVZBVEUgS0VZLS0tLS0K
`,
  );
});

Deno.test("endpoints and nodes come into the client configuration", async () => {
  const text = await renderAdminOsconfig({
    ...spec,
    endpoints: ["10.0.0.1"],
    nodes: ["10.0.0.2", "10.0.0.3"],
  });
  assert.match(
    text,
    /\n {8}endpoints:\n {12}- 10.0.0.1\n {8}nodes:\n {12}- 10.0.0.2\n {12}- 10.0.0.3\n {8}ca: /,
  );
});

Deno.test("every administrator has a key of their own", async () => {
  const [a, b] = await Promise.all([
    renderAdminOsconfig(spec),
    renderAdminOsconfig(spec),
  ]);
  assert.notEqual((await parseContext(a)).key, (await parseContext(b)).key);
});

Deno.test({
  name: "openssl shows the certificate of an administrator like this",
  ...needs(openssl3),
  async fn() {
    const random = (length: number) => new Uint8Array(length).fill(7);
    const { crt } = await parseContext(
      await renderAdminOsconfig({ ...spec, random }),
    );
    const { text } = await openssl([
      ...["x509", "-in", "crt", "-noout", "-text"],
      ...["-nameopt", "sname", "-certopt", "no_pubkey,no_sigdump"],
    ], { crt });
    const ca = decodeText(someSecrets.certs.os.crt);
    const [der] = decodePemAs("CERTIFICATE", ca);
    const id = inspectCertificate(der).subjectKeyId ?? "";
    assert.equal(
      text,
      `Certificate:
    Data:
        Version: 3 (0x2)
        Serial Number:
            07:07:07:07:07:07:07:07:07:07:07:07:07:07:07:07
        Signature Algorithm: ED25519
        Issuer: O=talos
        Validity
            Not Before: Jun  1 12:00:00 2030 GMT
            Not After : Jun  1 12:00:00 2031 GMT
        Subject: O=os:admin
        X509v3 extensions:
            X509v3 Key Usage: critical
                Digital Signature
            X509v3 Extended Key Usage: 
                TLS Web Client Authentication
            X509v3 Authority Key Identifier: 
                ${id.toUpperCase().replaceAll(/..(?!$)/g, "$&:")}
`,
    );
  },
});

Deno.test({
  name: "openssl verifies an administrator as client, not as server",
  ...needs(openssl3),
  async fn() {
    const { crt } = await parseContext(await renderAdminOsconfig(spec));
    const files = { crt, ca: decodeText(someSecrets.certs.os.crt) };
    const verify = (purpose: string) =>
      openssl([
        ...["verify", "-x509_strict", "-purpose", purpose, "-CAfile", "ca"],
        ...["-attime", String(madeAt.getTime() / 1000 + 60), "crt"],
      ], files);
    const { text, problem } = await verify("sslclient");
    assert.equal(text, "crt: OK\n", problem);
    assert.equal((await verify("sslserver")).ok, false);
  },
});

Deno.test("the key of an administrator belongs to the certificate", async () => {
  const { crt, key: pem } = await parseContext(
    await renderAdminOsconfig({ ...spec, key }),
  );
  const [der] = decodePemAs("CERTIFICATE", crt);
  // The public key of the example, from openssl.
  assert.equal(
    inspectCertificate(der).spki.toHex(),
    "302a300506032b657003210003a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
  );
  assert.deepEqual(decodePrivateKey(pem), key);
});
