import assert from "node:assert/strict";
import {
  parseFingerprint,
  spkiFingerprint,
  spkiFingerprintHex,
} from "../../pki/fingerprint.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { needs, openssl3 } from "../_needs.ts";
import { adminPem, caPem, rsaPem, serverPem } from "./_certificates.ts";
import { assertConfigError } from "./_errors.ts";
import { openssl } from "./_openssl.ts";

const [ca] = decodePemAs("CERTIFICATE", caPem);

for (
  const [name, pem] of Object.entries({ caPem, adminPem, serverPem, rsaPem })
) {
  Deno.test({
    name: `spkiFingerprint of ${name} is what openssl computes`,
    ...needs(openssl3),
    async fn() {
      const { text: spki } = await openssl(
        ["x509", "-in", "crt", "-noout", "-pubkey"],
        { crt: pem },
      );
      const { bytes: der } = await openssl(
        ["pkey", "-pubin", "-in", "spki", "-outform", "der"],
        { spki },
      );
      const { bytes: hash } = await openssl(
        ["dgst", "-sha256", "-binary", "der"],
        { der },
      );
      const { text } = await openssl(["base64", "-in", "hash"], { hash });
      const [certificate] = decodePemAs("CERTIFICATE", pem);
      assert.equal(await spkiFingerprint(certificate), text.trimEnd());
      assert.equal(text.length, 45);
    },
  });
}

Deno.test("spkiFingerprint and spkiFingerprintHex are two forms of one hash", async () => {
  const base64 = await spkiFingerprint(ca);
  const hex = await spkiFingerprintHex(ca);
  assert.match(hex, /^sha256:[0-9a-f]{64}$/);
  assert.equal(parseFingerprint(hex), base64);
});

for (
  const text of [
    "",
    "abc",
    "sha256:abc",
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuA==",
    "AA:BB",
  ]
) {
  Deno.test(`parseFingerprint refuses "${text}"`, () => {
    assertConfigError(
      () => parseFingerprint(text),
      `Cannot read certificate fingerprint "${text}": expected 32 bytes in base64`,
    );
  });
}
