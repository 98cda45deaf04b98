import { createCa } from "../../pki/ca.ts";
import { spkiFingerprintHex } from "../../pki/fingerprint.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { requiredText, silently, toggle } from "../_kit/mod.ts";
import { refuseTaken, writeOutputs } from "./_outputs.ts";
import { addValidity, forceInputs, hoursFlag } from "./_inputs.ts";
import { working } from "../../transport/call/open_calls.ts";

const inputs = {
  organization: requiredText(
    "organization in the subject, and base name of the files",
  ),
  hours: hoursFlag(87_600),
  rsa: toggle("generate a 4096-bit RSA key"),
  ...forceInputs,
};

export const command = silently({
  summary: "Generate a certificate authority",
  description:
    `Writes three files named after the organization: the certificate (.crt), its key (.key), and the SHA-256
fingerprint of the public key (.sha256). The key is an Ed25519 key, unless --rsa is given.`,
  inputs,
  examples: [
    "gen ca --organization example",
    "gen ca --organization old --rsa",
  ],
  async work({ input, environment }) {
    const { organization, hours, rsa, force } = input;
    const paths = {
      crt: `${organization}.crt`,
      sha256: `${organization}.sha256`,
      key: `${organization}.key`,
    };
    // An RSA key takes seconds: checked before it is generated.
    await refuseTaken(Object.values(paths), force);
    const now = environment.now();
    const { certificate, key } = await working(
      "generating a key",
      () =>
        createCa({
          organizations: [organization],
          algorithm: rsa ? "RSA" : "Ed25519",
          now,
          notAfter: addValidity(now, hours),
        }),
    );
    await writeOutputs([
      {
        path: paths.crt,
        content: encodePem(pemLabel.certificate, certificate),
      },
      { path: paths.sha256, content: await spkiFingerprintHex(certificate) },
      { path: paths.key, content: encodePrivateKey(key) },
    ], force);
  },
});
