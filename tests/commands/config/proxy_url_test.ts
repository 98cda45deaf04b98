import assert from "node:assert/strict";
import { silence, testWith, toOutput, twoContexts } from "./_file.ts";

testWith(
  twoContexts,
  "config proxy-url shows and sets the proxy of a context",
  async ({ osctl, text }) => {
    const line = "config proxy-url socks5://localhost:1080 --context a";
    assert.deepEqual(toOutput(await osctl(line)), silence);
    assert.match(await text(), / {8}proxy-url: socks5:\/\/localhost:1080\n/);
    assert.equal(
      (await osctl("config proxy-url --context a")).out,
      "socks5://localhost:1080\n",
    );
    assert.equal((await osctl("config proxy-url")).out, "\n");
  },
);
