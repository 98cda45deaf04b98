import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
import { openssl } from "../../pki/_openssl.ts";
import { testIn } from "./_folder.ts";

testIn(
  "gen keypair writes certificate and key, mode 600",
  async ({ dir, osctl, read }) => {
    assert.deepEqual(
      toOutput(await osctl("gen keypair --organization DIR/x")),
      silence,
    );
    assert.deepEqual(await namesIn(dir), ["x.crt", "x.key"]);
    assert.equal(await readMode(`${dir}/x.crt`), 0o600);
    assert.equal(await readMode(`${dir}/x.key`), 0o600);
    assert.match(await read("x.key"), /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  },
);

testIn(
  "gen keypair makes a CA for 24 hours, for the address given",
  async ({ dir, osctl, read }) => {
    await osctl("gen keypair --organization DIR/x --ip FD00:0::2");
    const crt = await read("x.crt");
    const { text, problem } = await openssl(
      [
        "x509",
        "-in",
        "crt",
        "-noout",
        "-text",
        "-nameopt",
        "sname,sep_comma_plus",
      ],
      { crt },
    );
    assert.match(text, /Not Before: Jan {2}2 03:04:05 2026 GMT/, problem);
    assert.match(text, /Not After : Jan {2}3 03:04:05 2026 GMT/);
    assert.ok(text.includes(`Subject: O=${dir}/x\n`), text);
    assert.match(text, /CA:TRUE/);
    assert.match(text, /IP Address:FD00:0:0:0:0:0:0:2\n/);
    const matching = await openssl([
      "verify",
      "-attime",
      "1767330000",
      "-CAfile",
      "crt",
      "crt",
    ], { crt });
    assert.equal(matching.text, "crt: OK\n", matching.problem);
  },
  needs(openssl3),
);

testIn("gen keypair without address names none", async ({ osctl, read }) => {
  await osctl("gen keypair --organization DIR/x");
  const { text } = await openssl(["x509", "-in", "crt", "-noout", "-text"], {
    crt: await read("x.crt"),
  });
  assert.match(text, /CA:TRUE/);
  assert.doesNotMatch(text, /Alternative Name/);
}, needs(openssl3));

testIn(
  "gen keypair refuses a wrong address and a missing organization",
  async ({ dir, osctl }) => {
    const wrong = await osctl(
      "gen keypair --organization DIR/x --ip 10.0.0.256",
    );
    assert.match(
      wrong.err,
      /^error: Invalid value "10\.0\.0\.256" for --ip: must be an IP address such as 10\.0\.0\.2 or fd00::2\n/,
    );
    assert.equal(wrong.status, 2);
    const missing = await osctl("gen keypair --ip 10.0.0.2");
    assert.match(missing.err, /^error: Flag --organization is missing: /);
    assert.equal(missing.status, 2);
    assert.deepEqual(await namesIn(dir), []);
  },
);

testIn(
  "gen keypair replaces only with --force",
  async ({ dir, osctl, read, write }) => {
    await write("x.key", "mine");
    const { err, status } = await osctl("gen keypair --organization DIR/x");
    assert.equal(
      err,
      `error: Cannot write "${dir}/x.key": it already exists\nhint: Replace with --force\n`,
    );
    assert.equal(status, 2);
    assert.deepEqual(await namesIn(dir), ["x.key"]);
    assert.deepEqual(
      toOutput(await osctl("gen keypair --organization DIR/x --force")),
      silence,
    );
    assert.match(await read("x.key"), /^-----BEGIN ED25519/);
  },
);
