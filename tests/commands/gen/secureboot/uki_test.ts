import assert from "node:assert/strict";
import { type Need, needs, openssl3 } from "../../../_needs.ts";
import { runIn } from "../../../pki/_efi.ts";
import { openssl } from "../../../pki/_openssl.ts";
import { namesIn, readMode, toOutput } from "../../config/_file.ts";
import { testIn } from "../_folder.ts";

const names = [
  "uki-signing-cert.pem",
  "uki-signing-cert.der",
  "uki-signing-key.pem",
] as const;

/** A program for firmware that efitools brings along. */
function someProgram(): string | undefined {
  const root = "/usr/lib/efitools";
  try {
    for (const { name } of Deno.readDirSync(root)) {
      const path = `${root}/${name}/HelloWorld.efi`;
      if (Deno.statSync(path).isFile) return path;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}

/** Its place. */
const efiProgram: Need = {
  name: "efitools",
  debian: "efitools",
  isThere: () => someProgram() !== undefined,
};

testIn(
  "gen secureboot uki writes certificate, the same as DER, and key; sbsign signs with them, and sbverify accepts it",
  async ({ dir, osctl, read }) => {
    const ran = await osctl([
      "gen",
      "secureboot",
      "uki",
      "--common-name",
      "My images",
      "-o",
      "DIR/out",
    ]);
    assert.deepEqual(toOutput(ran), {
      out: "",
      err: names.map((name) => `writing ${dir}/out/${name}\n`).join(""),
      status: 0,
    });
    assert.deepEqual(await namesIn(`${dir}/out`), [...names].sort());
    assert.equal(await readMode(`${dir}/out`), 0o700);
    for (const name of names) {
      assert.equal(await readMode(`${dir}/out/${name}`), 0o600);
    }
    const key = await read("out/uki-signing-key.pem");
    assert.match(key, /^-----BEGIN RSA PRIVATE KEY-----\n/);

    const crt = await read("out/uki-signing-cert.pem");
    const shown = await openssl(
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
    assert.match(shown.text, /Signature Algorithm: sha512WithRSAEncryption/);
    assert.match(shown.text, /Issuer: O=My images\n/);
    assert.match(shown.text, /Subject: O=My images\n/);
    assert.match(shown.text, /Not Before: Jan {2}2 03:04:05 2026 GMT/);
    assert.match(shown.text, /Not After : Dec 31 03:04:05 2035 GMT/);
    assert.match(shown.text, /Public-Key: \(4096 bit\)/);
    assert.match(shown.text, /CA:TRUE/);
    assert.match(
      shown.text,
      /TLS Web Client Authentication, Code Signing, E-mail Protection\n/,
    );
    const der = await openssl(["x509", "-in", "crt", "-outform", "DER"], {
      crt,
    });
    assert.deepEqual(
      await Deno.readFile(`${dir}/out/uki-signing-cert.der`),
      der.bytes,
    );
    const [pem, , signer] = names;
    await runIn(
      `${dir}/out`,
      "sbsign",
      ...[
        "--key",
        signer,
        "--cert",
        pem,
        "--output",
        "signed",
        someProgram() ?? "",
      ],
    );
    assert.match(
      await runIn(`${dir}/out`, "sbverify", "--cert", pem, "signed"),
      /Signature verification OK/,
    );
  },
  // One test, as a key of that size takes seconds to find.
  { ...needs(openssl3, "sbsign", efiProgram) },
);

testIn(
  "gen secureboot uki refuses a holder without name",
  async ({ dir, osctl }) => {
    const { err, status } = await osctl(
      "gen secureboot uki -o DIR --common-name=",
    );
    assert.match(
      err,
      /^error: Invalid value "" for --common-name: must not be empty\n/,
    );
    assert.equal(status, 2);
    assert.deepEqual(await namesIn(dir), []);
  },
);
