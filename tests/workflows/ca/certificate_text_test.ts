import assert from "node:assert/strict";
import { testCa } from "../../_test_ca.ts";
import { ConfigError } from "../../../errors.ts";
import {
  certificateIn,
  short,
} from "../../../workflows/ca/certificate_text.ts";

Deno.test("a certificate is known by the SHA-256 of its DER, whatever is around it", async () => {
  const { pem } = await testCa();
  const der = Uint8Array.fromBase64(
    pem.replaceAll(/-----[A-Z ]+-----|\n/g, ""),
  );
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", der));
  const found = certificateIn(`a comment\n${pem}\n\n`);
  assert.deepEqual(found, { fingerprint: hash.toHex(), pem });
  assert.equal(short(found.fingerprint), hash.toHex().slice(0, 12));
});

Deno.test("certificateText: refuses other texts", () => {
  for (
    const text of [
      "",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ]
  ) {
    assert.throws(() => certificateIn(text), ConfigError);
  }
});
