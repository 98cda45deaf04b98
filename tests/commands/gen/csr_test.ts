import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
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

testIn("gen csr writes a request beside the key, mode 600", async (folder) => {
  const { dir, osctl, read, write } = folder;
  await write("admin.key", someKey);
  assert.deepEqual(
    toOutput(await osctl("gen csr --key DIR/admin.key --ip 10.0.0.2")),
    silence,
  );
  assert.deepEqual(await namesIn(dir), ["admin.csr", "admin.key"]);
  assert.equal(await readMode(`${dir}/admin.csr`), 0o600);
  assert.match(
    await read("admin.csr"),
    /^-----BEGIN CERTIFICATE REQUEST-----\n/,
  );
});

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

testIn(
  "gen csr refuses unknown roles by name, and none",
  async ({ dir, osctl, write }) => {
    await write("k.key", someKey);
    const line = "gen csr --key DIR/k.key --ip 10.0.0.2 --roles";
    const unknown = await osctl(`${line} os:admin,root,os:god`);
    assert.equal(
      unknown.err,
      `error: Unknown roles "os:god", "root"
hint: Roles are os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator
`,
    );
    assert.equal(unknown.status, 2);
    const none = await osctl(`${line}=`);
    assert.match(none.err, /^error: Flag --roles is empty\n/);
    assert.equal(none.status, 2);
    assert.deepEqual(await namesIn(dir), ["k.key"]);
  },
);

testIn(
  "gen csr refuses wrong flags and missing ones",
  async ({ osctl, write }) => {
    await write("k.key", someKey);
    const missing = await osctl("gen csr");
    assert.match(missing.err, /^error: Flags --key, --ip are missing\n/);
    assert.equal(missing.status, 2);
    const address = await osctl("gen csr --key DIR/k.key --ip localhost");
    assert.match(
      address.err,
      /^error: Invalid value "localhost" for --ip: must be an IP address /,
    );
    assert.equal(address.status, 2);
  },
);

testIn(
  "gen csr names a key that is missing or is none",
  async ({ dir, osctl, write }) => {
    const missing = await osctl("gen csr --key DIR/k.key --ip 10.0.0.2");
    assert.equal(
      missing.err,
      `error: Cannot read "${dir}/k.key": no such file\n`,
    );
    await write("k.key", "nothing");
    const { err, status } = await osctl(
      "gen csr --key DIR/k.key --ip 10.0.0.2",
    );
    assert.equal(
      err,
      `error: Cannot use "${dir}/k.key": Cannot read PEM: there is no "-----BEGIN" line\n`,
    );
    assert.equal(status, 2);
  },
);

testIn(
  "gen csr replaces a request with --force only, and its key never",
  async ({ dir, osctl, read, write }) => {
    await write("k.key", someKey);
    await write("k.csr", "mine");
    const refused = await osctl("gen csr --key DIR/k.key --ip 10.0.0.2");
    assert.equal(
      refused.err,
      `error: Cannot write "${dir}/k.csr": it already exists\nhint: Replace with --force\n`,
    );
    assert.equal(await read("k.csr"), "mine");
    await osctl("gen csr --key DIR/k.key --ip 10.0.0.2 --force");
    assert.match(await read("k.csr"), /^-----BEGIN CERTIFICATE REQUEST/);

    await write("odd.csr", someKey);
    const { err, status } = await osctl(
      "gen csr --key DIR/odd.csr --ip 10.0.0.2 --force",
    );
    assert.equal(
      err,
      `error: Cannot write "${dir}/odd.csr": it is also an input\nhint: Choose other names\n`,
    );
    assert.equal(status, 2);
    assert.equal(await read("odd.csr"), someKey);
  },
);
