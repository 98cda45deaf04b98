import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
import { openssl } from "../../pki/_openssl.ts";
import { type Folder, someKey, testIn } from "./_folder.ts";

/** Makes `ca.crt`, `ca.key` and `k.csr`. */
async function prepare({ osctl, write }: Folder): Promise<void> {
  await osctl("gen keypair --organization DIR/ca");
  await write("k.key", someKey);
  await osctl("gen csr --key DIR/k.key --ip 10.0.0.2 --roles os:reader");
}

testIn("gen crt writes one certificate, mode 600", async (folder) => {
  const { dir, osctl, read } = folder;
  await prepare(folder);
  assert.deepEqual(
    toOutput(
      await osctl("gen crt --ca DIR/ca --csr DIR/k.csr --name DIR/leaf"),
    ),
    silence,
  );
  assert.deepEqual(await namesIn(dir), [
    "ca.crt",
    "ca.key",
    "k.csr",
    "k.key",
    "leaf.crt",
  ]);
  assert.equal(await readMode(`${dir}/leaf.crt`), 0o600);
  assert.match(await read("leaf.crt"), /^-----BEGIN CERTIFICATE-----\n/);
});

testIn(
  "gen crt makes exactly the certificate that openssl shows here",
  async (folder) => {
    const { dir, osctl, read } = folder;
    await prepare(folder);
    await osctl(
      "gen crt --ca DIR/ca --csr DIR/k.csr --name DIR/leaf --hours 12",
    );
    const ca = await read("ca.crt");
    const { text: id } = await openssl(
      ["x509", "-in", "ca", "-noout", "-ext", "subjectKeyIdentifier"],
      { ca },
    );
    const { text, problem } = await openssl(
      [
        "x509",
        "-in",
        "crt",
        "-noout",
        "-text",
        "-certopt",
        "no_pubkey,no_sigdump,no_serial",
        "-nameopt",
        "sname,sep_comma_plus",
      ],
      { crt: await read("leaf.crt") },
    );
    assert.equal(
      text,
      `Certificate:
    Data:
        Version: 3 (0x2)
        Signature Algorithm: ED25519
        Issuer: O=${dir}/ca
        Validity
            Not Before: Jan  2 03:04:05 2026 GMT
            Not After : Jan  2 15:04:05 2026 GMT
        Subject: O=os:reader
        X509v3 extensions:
            X509v3 Key Usage: critical
                Digital Signature
            X509v3 Extended Key Usage: 
                TLS Web Client Authentication
            X509v3 Authority Key Identifier: 
                ${id.split("\n")[1]?.trim()}
            X509v3 Subject Alternative Name: 
                IP Address:10.0.0.2
`,
      problem,
    );
  },
  needs(openssl3),
);

testIn(
  "gen crt makes a certificate for clients and for nothing else",
  async (folder) => {
    const { osctl, read } = folder;
    await prepare(folder);
    await osctl("gen crt --ca DIR/ca --csr DIR/k.csr --name DIR/leaf");
    const files = { ca: await read("ca.crt"), crt: await read("leaf.crt") };
    const verify = (purpose: string) =>
      openssl([
        "verify",
        "-attime",
        `${Date.parse("2026-01-02T04:00:00Z") / 1000}`,
        "-purpose",
        purpose,
        "-CAfile",
        "ca",
        "crt",
      ], files);
    const client = await verify("sslclient");
    assert.equal(client.text, "crt: OK\n", client.problem);
    const server = await verify("sslserver");
    assert.match(server.problem, /unsuitable certificate purpose/);
  },
  needs(openssl3),
);

testIn(
  "gen crt refuses a CA with another's key, or that is none",
  async (folder) => {
    const { dir, osctl, write } = folder;
    await prepare(folder);
    await osctl("gen crt --ca DIR/ca --csr DIR/k.csr --name DIR/leaf");
    await write("leaf.key", someKey);
    const line = "gen crt --csr DIR/k.csr --name DIR/second --ca";
    const leaf = await osctl(`${line} DIR/leaf`);
    assert.equal(
      leaf.err,
      `error: Cannot use "${dir}/leaf.crt": Cannot use certificate authority: its certificate is not a CA certificate\n`,
    );
    assert.equal(leaf.status, 2);
    await write("ca.key", someKey);
    const other = await osctl(`${line} DIR/ca`);
    assert.equal(
      other.err,
      `error: Cannot use "${dir}/ca.crt": Cannot use certificate authority: its key does not match its certificate\n`,
    );
    assert.equal(other.status, 2);
  },
);

testIn("gen crt refuses a request that was changed", async (folder) => {
  const { dir, osctl, read, write } = folder;
  await prepare(folder);
  const bytes = Uint8Array.fromBase64(
    (await read("k.csr")).replace(/-----.*-----/g, ""),
  );
  const last = bytes.length - 1;
  bytes.set([(bytes[last] ?? 0) ^ 1], last);
  await write(
    "k.csr",
    `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toBase64()}\n-----END CERTIFICATE REQUEST-----\n`,
  );
  const { err, status } = await osctl(
    "gen crt --ca DIR/ca --csr DIR/k.csr --name DIR/leaf",
  );
  assert.equal(
    err,
    `error: Cannot use "${dir}/k.csr": Cannot accept certificate request: its signature is wrong\n`,
  );
  assert.equal(status, 2);
});

testIn(
  "gen crt replaces with --force only, and the CA never",
  async (folder) => {
    const { dir, osctl, read, write } = folder;
    await prepare(folder);
    await write("leaf.crt", "mine");
    const line = "gen crt --ca DIR/ca --csr DIR/k.csr --name";
    const taken = await osctl(`${line} DIR/leaf`);
    assert.equal(
      taken.err,
      `error: Cannot write "${dir}/leaf.crt": it already exists\nhint: Replace with --force\n`,
    );
    assert.equal(taken.status, 2);
    assert.deepEqual(
      toOutput(await osctl(`${line} DIR/leaf --force`)),
      silence,
    );
    assert.match(await read("leaf.crt"), /^-----BEGIN CERT/);
    const before = await read("ca.crt");
    const own = await osctl(
      `${line} ${dir}/../${dir.split("/").at(-1)}/ca --force`,
    );
    assert.match(
      own.err,
      /ca\.crt": it is also an input\nhint: Choose other names\n$/,
    );
    assert.equal(own.status, 2);
    assert.equal(await read("ca.crt"), before);
  },
);

testIn("gen crt names every flag that is missing", async ({ osctl }) => {
  const { err, status } = await osctl("gen crt");
  assert.equal(
    err,
    `error: Flags --ca, --csr, --name are missing
Usage: osctl gen crt --ca string --csr string --name string [flags]
Run "osctl gen crt --help" for its flags
`,
  );
  assert.equal(status, 2);
});
