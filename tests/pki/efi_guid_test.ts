import assert from "node:assert/strict";
import { encodeGuid, ownerGuid } from "../../pki/efi_guid.ts";
import { rsaCrt } from "./_rsa.ts";

Deno.test("encodeGuid turns the first three groups around", () => {
  assert.equal(
    encodeGuid("00112233-4455-6677-8899-aabbccddeeff").toHex(),
    "33221100554477668899aabbccddeeff",
  );
});

Deno.test("ownerGuid is derived from the file, byte for byte", async () => {
  const file = new TextEncoder().encode(rsaCrt);
  assert.equal(await ownerGuid(file), "92a537de-237c-4393-abfd-66f50fb007e1");
  assert.notEqual(
    await ownerGuid(file.subarray(1)),
    "92a537de-237c-4393-abfd-66f50fb007e1",
  );
});

Deno.test("ownerGuid is of version 4 and the usual variant", async () => {
  for (let byte = 0; byte < 32; byte++) {
    assert.match(
      await ownerGuid(Uint8Array.of(byte)),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  }
});
