import assert from "node:assert/strict";
import {
  bootCertificates,
  keyExchangeCertificates,
} from "../../pki/efi_certificates.ts";
import { inspectCertificate } from "../../pki/inspect.ts";

async function describe(base64: string): Promise<string> {
  const der = Uint8Array.fromBase64(base64);
  const { subject, notAfter, isCa } = inspectCertificate(der);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", der));
  const day = notAfter.toISOString().slice(0, 10);
  return `${hash.toHex().slice(0, 16)} ${day} ${isCa} ${subject.commonName}`;
}

Deno.test("keyExchangeCertificates are those of 2011 and 2023", async () => {
  assert.deepEqual(await Promise.all(keyExchangeCertificates.map(describe)), [
    "a1117f516a32cefc 2026-06-24 true Microsoft Corporation KEK CA 2011",
    "3cd3f0309edae228 2038-03-02 true Microsoft Corporation KEK 2K CA 2023",
  ]);
});

Deno.test("bootCertificates are those of boot loaders and option ROMs", async () => {
  assert.deepEqual(await Promise.all(bootCertificates.map(describe)), [
    "48e99b991f57fc52 2026-06-27 true Microsoft Corporation UEFI CA 2011",
    "e5be3e64c6e66a28 2038-10-26 true Microsoft Option ROM UEFI CA 2023",
    "f6124e34125bee3f 2038-06-13 true Microsoft UEFI CA 2023",
  ]);
});
