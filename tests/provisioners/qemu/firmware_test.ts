import assert from "node:assert/strict";
import {
  copyFirmware,
  findFirmware,
} from "../../../provisioners/qemu/firmware.ts";
import { withFolder } from "../../_folder.ts";

Deno.test("findFirmware takes pairs that belong together, those that check signatures first", async () => {
  await withFolder({
    "more/OVMF_CODE_4M.fd": "code",
    "more/OVMF_VARS_4M.fd": "variables",
    "usual/OVMF_CODE.secboot.fd": "secure",
    "usual/OVMF_CODE_4M.secboot.fd": "no variables here",
  }, async (folder) => {
    const usual = [`${folder}/usual`];
    const firmware = await findFirmware("amd64", [`${folder}/more`], usual);
    assert.deepEqual(firmware, {
      code: `${folder}/more/OVMF_CODE_4M.fd`,
      variables: `${folder}/more/OVMF_VARS_4M.fd`,
      isSecureBoot: false,
    });
    assert.deepEqual(await copyFirmware(firmware, `${folder}/node`, "amd64"), [
      `${folder}/node-flash0.img`,
      `${folder}/node-flash1.img`,
    ]);
    assert.equal(
      await Deno.readTextFile(`${folder}/node-flash1.img`),
      "variables",
    );
    await copyFirmware(firmware, `${folder}/node`, "arm64");
    assert.equal(
      (await Deno.stat(`${folder}/node-flash0.img`)).size,
      64 * 1024 * 1024,
    );
    await Deno.writeTextFile(`${folder}/usual/OVMF_VARS.fd`, "");
    const { isSecureBoot } = await findFirmware(
      "amd64",
      [`${folder}/more`],
      usual,
    );
    assert.equal(isSecureBoot, true);
    await assert.rejects(findFirmware("arm64", [], usual), {
      message: "Cannot find UEFI firmware for arm64",
    });
  });
});
