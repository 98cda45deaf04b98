import assert from "node:assert/strict";
import { encodeSignatureLists } from "../../pki/efi_signature_list.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { adminPem, caPem } from "./_certificates.ts";
import { isInstalled, runIn, withFolder } from "./_efi.ts";
import { rsaCrt } from "./_rsa.ts";

const one = "11111111-2222-3333-4444-555555555555";
const two = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

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

Deno.test("encodeSignatureLists puts certificates of one size into one list", () => {
  const lists = encodeSignatureLists([
    { owner: one, certificate: Uint8Array.of(1, 1) },
    { owner: one, certificate: Uint8Array.of(2) },
    { owner: two, certificate: Uint8Array.of(3, 3) },
  ]);
  assert.equal(
    lists.toHex(),
    "a159c0a5e494a74a87b5ab155c2bf072" +
      "40000000" + "00000000" + "12000000" +
      "11111111222233334444555555555555" + "0101" +
      "aaaaaaaabbbbccccddddeeeeeeeeeeee" + "0303" +
      "a159c0a5e494a74a87b5ab155c2bf072" +
      "2d000000" + "00000000" + "11000000" +
      "11111111222233334444555555555555" + "02",
  );
});

Deno.test("encodeSignatureLists without certificates is empty", () => {
  assert.equal(encodeSignatureLists([]).length, 0);
});

Deno.test({
  name: "encodeSignatureLists writes what cert-to-efi-sig-list writes",
  ignore: !(await isInstalled("cert-to-efi-sig-list")),
  async fn() {
    const [certificate] = decodePemAs("CERTIFICATE", rsaCrt);
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/crt`, rsaCrt);
      await runIn(folder, "cert-to-efi-sig-list", "-g", two, "crt", "esl");
      assert.equal(
        encodeSignatureLists([{ owner: two, certificate }]).toHex(),
        (await Deno.readFile(`${folder}/esl`)).toHex(),
      );
    });
  },
});

Deno.test({
  name: "encodeSignatureLists writes what sig-list-to-certs reads",
  ignore: !(await isInstalled("sig-list-to-certs")),
  async fn() {
    const [a = new Uint8Array(), b = new Uint8Array(), c = new Uint8Array()] = [
      rsaCrt,
      caPem,
      adminPem,
    ].map((pem) => decodePemAs("CERTIFICATE", pem)[0]);
    await withFolder(async (folder) => {
      await Deno.writeFile(
        `${folder}/esl`,
        encodeSignatureLists([
          { owner: one, certificate: a },
          { owner: two, certificate: b },
          { owner: two, certificate: c },
        ]),
      );
      const told = await runIn(folder, "sig-list-to-certs", "esl", "out");
      assert.deepEqual(
        [...told.matchAll(/file (\S+): Guid (\S+)/g)].map((match) =>
          match.slice(1)
        ),
        [["out-0.der", one], ["out-1.der", two], ["out-2.der", two]],
      );
      assert.deepEqual(await Deno.readFile(`${folder}/out-0.der`), a);
      assert.deepEqual(await Deno.readFile(`${folder}/out-1.der`), b);
      assert.deepEqual(await Deno.readFile(`${folder}/out-2.der`), c);
    });
  },
});
