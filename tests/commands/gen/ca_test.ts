import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
import { openssl } from "../../pki/_openssl.ts";
import { testIn } from "./_folder.ts";

const describing = [
  "x509",
  "-in",
  "crt",
  "-noout",
  "-text",
  "-certopt",
  "no_pubkey,no_sigdump,no_serial",
  "-nameopt",
  "sname,sep_comma_plus",
];

testIn(
  "gen ca writes certificate, fingerprint and key, all mode 600",
  async ({ dir, osctl, read }) => {
    assert.deepEqual(
      toOutput(await osctl("gen ca --organization DIR/x")),
      silence,
    );
    assert.deepEqual(await namesIn(dir), ["x.crt", "x.key", "x.sha256"]);
    for (const name of await namesIn(dir)) {
      assert.equal(await readMode(`${dir}/${name}`), 0o600, name);
    }
    assert.match(await read("x.crt"), /^-----BEGIN CERTIFICATE-----\n/);
    assert.match(await read("x.key"), /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
    assert.match(await read("x.sha256"), /^sha256:[0-9a-f]{64}$/);
  },
);

testIn(
  "gen ca makes the CA that openssl shows here",
  async ({ dir, osctl, read }) => {
    await osctl("gen ca --organization DIR/x");
    const crt = await read("x.crt");
    const { text, problem } = await openssl(describing, { crt });
    const [before, id = ""] = text.split("Subject Key Identifier: \n");
    assert.equal(
      before,
      `Certificate:
    Data:
        Version: 3 (0x2)
        Signature Algorithm: ED25519
        Issuer: O=${dir}/x
        Validity
            Not Before: Jan  2 03:04:05 2026 GMT
            Not After : Dec 31 03:04:05 2035 GMT
        Subject: O=${dir}/x
        X509v3 extensions:
            X509v3 Key Usage: critical
                Digital Signature, Certificate Sign
            X509v3 Extended Key Usage: 
                TLS Web Server Authentication, TLS Web Client Authentication
            X509v3 Basic Constraints: critical
                CA:TRUE
            X509v3 `,
      problem,
    );
    assert.match(id, /^ {16}([0-9A-F]{2}:){19}[0-9A-F]{2}\n$/);
  },
  needs(openssl3),
);

testIn(
  "gen ca names all files that exist and leaves them",
  async ({ dir, osctl, read, write }) => {
    await write("x.crt", "mine");
    await write("x.key", "mine");
    const line = "gen ca --organization DIR/x";
    assert.deepEqual(toOutput(await osctl(line)), {
      out: "",
      err:
        `error: Cannot write "${dir}/x.crt", "${dir}/x.key": they already exist
hint: Replace with --force
`,
      status: 2,
    });
    assert.deepEqual(await namesIn(dir), ["x.crt", "x.key"]);
    assert.equal(await read("x.key"), "mine");
    assert.deepEqual(toOutput(await osctl(`${line} --force`)), silence);
    assert.match(await read("x.key"), /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  },
);
