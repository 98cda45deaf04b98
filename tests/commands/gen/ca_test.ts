import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { modeOf, namesIn, outputOf, silence } from "../config/_file.ts";
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
      outputOf(await osctl("gen ca --organization DIR/x")),
      silence,
    );
    assert.deepEqual(await namesIn(dir), ["x.crt", "x.key", "x.sha256"]);
    for (const name of await namesIn(dir)) {
      assert.equal(await modeOf(`${dir}/${name}`), 0o600, name);
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
  "gen ca writes the fingerprint that openssl computes",
  async ({ osctl, read }) => {
    await osctl("gen ca --organization DIR/x");
    const files = { crt: await read("x.crt") };
    const pem = await openssl(
      ["x509", "-in", "crt", "-noout", "-pubkey"],
      files,
    );
    const der = await openssl(
      ["pkey", "-pubin", "-in", "pem", "-outform", "DER"],
      { pem: pem.text },
    );
    const hash = await openssl(["dgst", "-sha256", "-r", "der"], {
      der: der.bytes,
    });
    assert.equal(await read("x.sha256"), `sha256:${hash.text.slice(0, 64)}`);
  },
  needs(openssl3),
);

testIn(
  "gen ca --rsa makes an RSA CA that signs for both sides of TLS",
  async ({ osctl, read }) => {
    await osctl("gen ca --organization DIR/x --rsa --hours 48");
    const [crt, key] = [await read("x.crt"), await read("x.key")];
    assert.match(key, /^-----BEGIN RSA PRIVATE KEY-----\n/);
    const shown = await openssl(["x509", "-in", "crt", "-noout", "-text"], {
      crt,
    });
    assert.match(shown.text, /Signature Algorithm: sha512WithRSAEncryption/);
    assert.match(shown.text, /Public-Key: \(4096 bit\)/);
    assert.match(shown.text, /Not After : Jan {2}4 03:04:05 2026 GMT/);
    for (const purpose of ["sslserver", "sslclient"]) {
      const verified = await openssl(
        [
          "verify",
          "-attime",
          `${Date.parse("2026-01-03") / 1000}`,
          "-purpose",
          purpose,
          "-CAfile",
          "crt",
          "crt",
        ],
        { crt },
      );
      assert.equal(verified.text, "crt: OK\n", verified.problem);
    }
    const checked = await openssl(["rsa", "-in", "key", "-check", "-noout"], {
      key,
    });
    assert.equal(checked.text, "RSA key ok\n", checked.problem);
  },
  needs(openssl3),
);

testIn(
  "gen ca names all files that exist and leaves them",
  async ({ dir, osctl, read, write }) => {
    await write("x.crt", "mine");
    await write("x.key", "mine");
    const line = "gen ca --organization DIR/x";
    assert.deepEqual(outputOf(await osctl(line)), {
      out: "",
      err:
        `error: Cannot write "${dir}/x.crt", "${dir}/x.key": they already exist
hint: Replace with --force
`,
      status: 2,
    });
    assert.deepEqual(await namesIn(dir), ["x.crt", "x.key"]);
    assert.equal(await read("x.key"), "mine");
    assert.deepEqual(outputOf(await osctl(`${line} --force`)), silence);
    assert.match(await read("x.key"), /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  },
);

testIn(
  "gen ca refuses a command line without organization, or with no time",
  async ({ osctl }) => {
    const missing = await osctl("gen ca");
    assert.equal(
      missing.err,
      `error: Flag --organization is missing: organization in the subject, and base name of the files
Usage: osctl gen ca --organization string [flags]
Run "osctl gen ca --help" for its flags
`,
    );
    assert.equal(missing.status, 2);
    const late = await osctl("gen ca --organization DIR/x --hours 0");
    assert.match(
      late.err,
      /^error: Invalid value "0" for --hours: must be a whole number from 1 /,
    );
    assert.equal(late.status, 2);
    const far = await osctl("gen ca --organization DIR/x --hours 2000000000");
    assert.match(
      far.err,
      /^error: Cannot write a certificate that is valid from /,
    );
    assert.equal(far.status, 2);
  },
);
