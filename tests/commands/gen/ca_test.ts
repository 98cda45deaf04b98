import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
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
