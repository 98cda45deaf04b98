import assert from "node:assert/strict";
import { generateKey } from "../../pki/key.ts";
import { encodePem } from "../../pki/pem.ts";
import { createRequest } from "../../pki/request.ts";
import { needs, openssl3 } from "../_needs.ts";
import { assertConfigRejection } from "./_errors.ts";
import { openssl } from "./_openssl.ts";

for (
  const [algorithm, signature] of [
    ["Ed25519", "ED25519"],
    ["ECDSA", "ecdsa-with-SHA256"],
    ["RSA", "sha512WithRSAEncryption"],
  ] as const
) {
  Deno.test({
    name: `createRequest with ${algorithm} is verified by openssl`,
    ...needs(openssl3),
    async fn() {
      const der = await createRequest({
        key: await generateKey(algorithm, { rsaBits: 2048 }),
        organizations: ["os:reader", "os:admin"],
        subjectAltNames: { ips: ["10.0.0.2"] },
      });
      const { text, problem } = await openssl(
        [
          ...["req", "-in", "csr", "-verify", "-noout", "-text"],
          ...["-nameopt", "sname,sep_comma_plus"],
        ],
        { csr: encodePem("CERTIFICATE REQUEST", der) },
      );
      assert.match(problem, /verify OK\n/);
      assert.match(text, /Subject: O=os:admin\+O=os:reader\n/);
      assert.match(
        text,
        /Requested Extensions:\s+X509v3 Subject Alternative Name: \s+IP Address:10\.0\.0\.2\n/,
      );
      assert.ok(text.includes(`Signature Algorithm: ${signature}\n`), text);
    },
  });
}

Deno.test("createRequest refuses an address that is none", async () => {
  await assertConfigRejection(
    createRequest({
      key: await generateKey(),
      organizations: ["os:admin"],
      subjectAltNames: { ips: ["node"] },
    }),
    'Cannot write a certificate: "node" is not an IP address',
  );
});
