import assert from "node:assert/strict";
import {
  type EfiVariable,
  encodeSignatureLists,
  ownerGuid,
  signedBytes,
  signUpdate,
} from "../../pki/efi_variable.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { makeRsaSigner } from "../../pki/signed_data.ts";
import { needs, openssl3 } from "../_needs.ts";
import { runIn, splitAuth, toContentInfo, withFolder } from "./_efi.ts";
import { openssl } from "./_openssl.ts";
import { rsaCrt, rsaKey } from "./_rsa.ts";

const [certificate] = decodePemAs("CERTIFICATE", rsaCrt);
const owner = "11111111-2222-3333-4444-555555555555";
const value = encodeSignatureLists([{ owner, certificate }]);
const time = new Date("2026-12-02T23:04:05.999Z");
const signer = await makeRsaSigner(certificate, decodePrivateKey(rsaKey));
const names: readonly EfiVariable[] = ["db", "KEK", "PK"];

Deno.test("signedBytes joins name, vendor, attributes, time and value", () => {
  assert.equal(
    signedBytes({ name: "db", value: Uint8Array.of(0xff), time }).toHex(),
    "64006200" +
      "cbb219d73a3d9645a3bcdad00e67656f" +
      "27000000" +
      "ea070c02170405000000000000000000" +
      "ff",
  );
  assert.equal(
    signedBytes({ name: "KEK", value: new Uint8Array(), time }).toHex(),
    "4b0045004b00" +
      "61dfe48bca93d211aa0d00e098032b8c" +
      "27000000" +
      "ea070c02170405000000000000000000",
  );
});

Deno.test("signUpdate puts time, header and signature in front of the value", async () => {
  const auth = await signUpdate({ name: "PK", value, time }, signer);
  const parts = splitAuth(auth);
  assert.equal(parts.time.toHex(), "ea070c02170405000000000000000000");
  assert.equal(
    parts.header.subarray(4).toHex(),
    "0002f10e" + "9dd2af4adf68ee498aa9347d375665a7",
  );
  assert.equal(parts.signature[0], 0x30);
  assert.deepEqual(parts.value, value);
  assert.equal(auth.length, 40 + parts.signature.length + value.length);
});

for (const name of names) {
  Deno.test({
    name: `signUpdate of ${name} signs what sign-efi-sig-list would sign`,
    ...needs("sign-efi-sig-list", openssl3),
    async fn() {
      const update = { name, value, time };
      const ours = splitAuth(await signUpdate(update, signer));
      await withFolder(async (folder) => {
        await Deno.writeFile(`${folder}/esl`, value);
        await Deno.writeTextFile(`${folder}/crt`, rsaCrt);
        await Deno.writeTextFile(`${folder}/key`, rsaKey);
        const sign = (...args: readonly string[]) =>
          runIn(
            folder,
            "sign-efi-sig-list",
            "-t",
            "2026-12-02 23:04:05",
            ...args,
            name,
            "esl",
            "out",
          );
        await sign("-o");
        const bundle = await Deno.readFile(`${folder}/out`);
        assert.equal(bundle.toHex(), signedBytes(update).toHex());
        await Deno.remove(`${folder}/out`);
        await sign("-c", "crt", "-k", "key");
        const theirs = splitAuth(await Deno.readFile(`${folder}/out`));
        assert.deepEqual(ours.time, theirs.time);
        // The length differs by that of the signed attributes.
        assert.deepEqual(ours.header.subarray(4), theirs.header.subarray(4));
        assert.deepEqual(ours.value, theirs.value);
        for (const { signature } of [ours, theirs]) {
          const verified = await openssl([
            "cms",
            "-verify",
            "-binary",
            "-inform",
            "DER",
            "-in",
            "p7",
            "-content",
            "bundle",
            "-CAfile",
            "crt",
            "-no_check_time",
            "-purpose",
            "any",
            "-out",
            "/dev/null",
          ], { bundle, p7: toContentInfo(signature), crt: rsaCrt });
          assert.ok(verified.ok, verified.problem);
        }
      });
    },
  });
}

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

const one = "11111111-2222-3333-4444-555555555555";

Deno.test("encodeSignatureLists writes type, sizes, owner and certificate", () => {
  const lists = encodeSignatureLists([
    { owner: one, certificate: Uint8Array.of(1, 2, 3) },
  ]);
  assert.equal(
    lists.toHex(),
    "a159c0a5e494a74a87b5ab155c2bf072" +
      "2f000000" + "00000000" + "13000000" +
      "11111111222233334444555555555555" + "010203",
  );
});
