import { createCa } from "../../pki/ca.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { requiredText, silently, text } from "../_kit/mod.ts";
import { writeOutputs } from "./_outputs.ts";
import { forceInputs, parseAddress } from "./_inputs.ts";

const inputs = {
  organization: requiredText(
    "organization in the subject, and base name of the files",
  ),
  ip: {
    ...text("IP address for the certificate"),
    parse: parseAddress,
  },
  ...forceInputs,
};

export const command = silently({
  summary: "Generate a key and a self-signed certificate for it",
  description:
    `Writes two files named after the organization: the certificate (.crt), valid for 24 hours, and its Ed25519 key (.key).`,
  inputs,
  examples: ["gen keypair --organization example --ip 10.0.0.2"],
  async work({ input, environment }) {
    const { organization, ip, force } = input;
    const { certificate, key } = await createCa({
      organizations: [organization],
      ...(ip !== undefined && { subjectAltNames: { ips: [ip] } }),
      now: environment.now(),
    });
    await writeOutputs([
      {
        path: `${organization}.crt`,
        content: encodePem(pemLabel.certificate, certificate),
      },
      { path: `${organization}.key`, content: encodePrivateKey(key) },
    ], force);
  },
});
