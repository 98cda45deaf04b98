import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { testIn } from "./_folder.ts";

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
