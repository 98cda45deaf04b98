import assert from "node:assert/strict";

import { namesIn, readMode, toOutput } from "../../config/_file.ts";
import { testIn } from "../_folder.ts";

testIn(
  "gen secureboot pcr writes one RSA key, mode 600",
  async ({ dir, osctl, read }) => {
    assert.deepEqual(toOutput(await osctl("gen secureboot pcr -o DIR/out")), {
      out: "",
      err: `writing ${dir}/out/pcr-signing-key.pem\n`,
      status: 0,
    });
    assert.deepEqual(await namesIn(`${dir}/out`), ["pcr-signing-key.pem"]);
    assert.equal(await readMode(`${dir}/out/pcr-signing-key.pem`), 0o600);
    assert.match(
      await read("out/pcr-signing-key.pem"),
      /^-----BEGIN RSA PRIVATE KEY-----\n/,
    );
  },
);
