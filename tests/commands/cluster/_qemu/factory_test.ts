import assert from "node:assert/strict";
import { makeFromFactory } from "./_request_text.ts";

Deno.test("cluster create qemu: presets boot an image, the network, or leave nodes without configuration", async () => {
  assert.match(
    await makeFromFactory(["--presets", "disk-image"]),
    /^asset: \{"url":".*\.raw\.zst","boot":\{"kind":"disk"\},"diskImage":"\/cache\/.*\.raw\.zst"\}/,
  );
  assert.match(
    await makeFromFactory(["--presets", "pxe", "--arch", "amd64"]),
    /^asset: \{"boot":\{"kind":"network"\}\}[^]*"bootScript":"https:\/\/[^"]+\/pxe\/[0-9a-f]{64}\/v[\d.]+\/metal-amd64"/,
  );
  assert.match(
    await makeFromFactory(["--presets", "iso,maintenance"]),
    /"writesFiles":true,"applies":false/,
  );
});
