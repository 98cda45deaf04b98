import assert from "node:assert/strict";
import { needs, openssl3 } from "../../../_needs.ts";
import { openssl } from "../../../pki/_openssl.ts";
import { modeOf, namesIn, outputOf } from "../../config/_file.ts";
import { testIn } from "../_folder.ts";

testIn(
  "gen secureboot pcr writes one RSA key, mode 600",
  async ({ dir, osctl, read }) => {
    assert.deepEqual(outputOf(await osctl("gen secureboot pcr -o DIR/out")), {
      out: "",
      err: `writing ${dir}/out/pcr-signing-key.pem\n`,
      status: 0,
    });
    assert.deepEqual(await namesIn(`${dir}/out`), ["pcr-signing-key.pem"]);
    assert.equal(await modeOf(`${dir}/out/pcr-signing-key.pem`), 0o600);
    assert.match(
      await read("out/pcr-signing-key.pem"),
      /^-----BEGIN RSA PRIVATE KEY-----\n/,
    );
  },
);

testIn(
  "gen secureboot pcr writes a key that openssl finds sound",
  async ({ osctl, read }) => {
    await osctl("gen secureboot pcr -o DIR");
    const key = await read("pcr-signing-key.pem");
    const args = ["rsa", "-in", "key", "-check", "-text", "-noout"];
    const { text, problem } = await openssl(args, { key });
    assert.match(text, /^Private-Key: \(2048 bit, 2 primes\)\n/m, problem);
    assert.match(text, /^RSA key ok\n/m);
  },
  needs(openssl3),
);

testIn(
  "gen secureboot pcr replaces only with --force",
  async ({ dir, osctl, read, write }) => {
    await write("pcr-signing-key.pem", "mine");
    assert.deepEqual(outputOf(await osctl("gen secureboot pcr -o DIR")), {
      out: "",
      err:
        `error: Cannot write "${dir}/pcr-signing-key.pem": it already exists\nhint: Replace with --force\n`,
      status: 2,
    });
    assert.equal(await read("pcr-signing-key.pem"), "mine");
    const { status } = await osctl("gen secureboot pcr -o DIR/ --force");
    assert.equal(status, 0);
    assert.match(await read("pcr-signing-key.pem"), /^-----BEGIN RSA/);
  },
);

testIn("gen secureboot pcr takes no arguments", async ({ osctl }) => {
  const { err, status } = await osctl("gen secureboot pcr DIR");
  assert.match(err, /^error: Unexpected argument /);
  assert.equal(status, 2);
});
