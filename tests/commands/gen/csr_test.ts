import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { silence, toOutput } from "../config/_file.ts";
import { openssl } from "../../pki/_openssl.ts";
import { type Folder, someKey, testIn } from "./_folder.ts";

async function describe({ read }: Folder, name: string): Promise<string> {
  const { text, problem } = await openssl(
    [
      "req",
      "-in",
      "csr",
      "-verify",
      "-noout",
      "-text",
      "-reqopt",
      "no_pubkey",
      "-nameopt",
      "sname,sep_comma_plus",
    ],
    { csr: await read(name) },
  );
  assert.match(problem, /verify OK/);
  return text.split("    Signature Value:")[0] ?? "";
}

testIn(
  "gen csr makes exactly the request that openssl verifies and shows here",
  async (folder) => {
    const { osctl, write } = folder;
    await write("k.key", someKey);
    await osctl(
      "gen csr --key DIR/k.key --ip 10.0.0.2 --roles os:reader,os:admin,os:reader",
    );
    assert.equal(
      await describe(folder, "k.csr"),
      `Certificate Request:
    Data:
        Version: 1 (0x0)
        Subject: O=os:admin+O=os:reader
        Attributes:
            Requested Extensions:
                X509v3 Subject Alternative Name: 
                    IP Address:10.0.0.2
    Signature Algorithm: ED25519
`,
    );
  },
  needs(openssl3),
);

for (
  const [label, args, signature] of [
    ["PRIVATE KEY", ["-algorithm", "ED25519"], "ED25519"],
    [
      "PRIVATE KEY",
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
      "ecdsa-with-SHA256",
    ],
    ["EC PRIVATE KEY", [
      "-algorithm",
      "EC",
      "-pkeyopt",
      "ec_paramgen_curve:P-384",
    ], "ecdsa-with-SHA384"],
    ["EC PRIVATE KEY", [
      "-algorithm",
      "EC",
      "-pkeyopt",
      "ec_paramgen_curve:P-521",
    ], "ecdsa-with-SHA512"],
    ["PRIVATE KEY", ["-algorithm", "RSA"], "sha512WithRSAEncryption"],
    ["RSA PRIVATE KEY", ["-algorithm", "RSA"], "sha512WithRSAEncryption"],
  ] as const
) {
  testIn(
    `gen csr with a key of openssl, "${label}", signs with ${signature}`,
    async (folder) => {
      const { osctl, write } = folder;
      const made = await openssl(["genpkey", ...args]);
      const key = label === "PRIVATE KEY"
        ? made
        : await openssl(["pkey", "-in", "key", "-traditional"], {
          key: made.text,
        });
      assert.ok(key.text.startsWith(`-----BEGIN ${label}-----`), key.problem);
      await write("k.pem", key.text);
      assert.deepEqual(
        toOutput(await osctl("gen csr --key DIR/k.pem --ip fd00::2")),
        silence,
      );
      const text = await describe(folder, "k.csr");
      assert.ok(text.includes(`Signature Algorithm: ${signature}\n`), text);
      assert.match(text, /Subject: O=os:admin\n/);
    },
    needs(openssl3),
  );
}
