import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { type Folder, someKey, testIn } from "./_folder.ts";

/** Makes `ca.crt`, `ca.key` and `k.csr`. */
async function prepare({ osctl, write }: Folder): Promise<void> {
  await osctl("gen keypair --organization DIR/ca");
  await write("k.key", someKey);
  await osctl("gen csr --key DIR/k.key --ip 10.0.0.2 --roles os:reader");
}

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
