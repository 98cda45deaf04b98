import { createCa } from "../../../pki/ca.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { encodePrivateKey } from "../../../pki/private_key.ts";
import { notEmpty, silently, text } from "../../_kit/mod.ts";
import { folderInputs, refuseTakenIn, writeInto } from "./_folder.ts";
import { addValidity } from "../_inputs.ts";
import { working } from "../../../transport/call/open_calls.ts";

const [certificatePem, certificateDer, keyPem] = [
  "uki-signing-cert.pem",
  "uki-signing-cert.der",
  "uki-signing-key.pem",
];

/**
 * Extended key usages of every CA, and those required by image verifiers:
 * sbverify, like openssl by default, requires the last.
 */
const imageSigning = [
  "serverAuth",
  "clientAuth",
  "codeSigning",
  "emailProtection",
] as const;

const lifetimeHours = 87_600;

const inputs = {
  commonName: {
    ...text("common name of the certificate", {
      initial: "Test UKI Signing Key",
    }),
    parse: notEmpty,
  },
  ...folderInputs,
};

export const command = silently({
  summary: "Generate the key and certificate for signing boot images (UKIs)",
  description:
    `Writes three files: the certificate for signing (uki-signing-cert.pem), the same certificate for manual enrollment
in firmware (uki-signing-cert.der), and the 4096-bit RSA key (uki-signing-key.pem).`,
  inputs,
  examples: ['gen secureboot uki --common-name "Boot images of example"'],
  async work({ input, environment, note }) {
    // The key takes seconds: checked before it is generated.
    await refuseTakenIn([certificatePem, certificateDer, keyPem], input);
    const now = environment.now();
    const { certificate, key } = await working(
      "generating a key",
      () =>
        createCa({
          // As in every generated CA; firmware and signers only use the key.
          organizations: [input.commonName],
          algorithm: "RSA",
          extendedKeyUsage: imageSigning,
          now,
          notAfter: addValidity(now, lifetimeHours),
        }),
    );
    await writeInto({
      [certificatePem]: encodePem(pemLabel.certificate, certificate),
      [certificateDer]: certificate,
      [keyPem]: encodePrivateKey(key),
    }, { ...input, note });
  },
});
