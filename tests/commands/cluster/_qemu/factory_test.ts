import assert from "node:assert/strict";
import { madeOfFactory } from "./_request_text.ts";

Deno.test("cluster create qemu: presets boot an image, the network, or leave nodes without configuration", async () => {
  assert.match(
    await madeOfFactory(["--presets", "disk-image"]),
    /^asset: \{"url":".*\.raw\.zst","boot":\{"kind":"disk"\},"diskImage":"\/cache\/.*\.raw\.zst"\}/,
  );
  assert.match(
    await madeOfFactory(["--presets", "pxe", "--arch", "amd64"]),
    /^asset: \{"boot":\{"kind":"network"\}\}[^]*"bootScript":"https:\/\/[^"]+\/pxe\/[0-9a-f]{64}\/v[\d.]+\/metal-amd64"/,
  );
  assert.match(
    await madeOfFactory(["--presets", "iso,maintenance"]),
    /"writesFiles":true,"applies":false/,
  );
});
