import { readPemFile } from "../../lib/files/pem_file.ts";
import { UsageError } from "../../errors.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { createRequest } from "../../pki/request.ts";
import { parseRoles } from "../../pki/roles.ts";
import { requiredText, silently, strings } from "../_kit/mod.ts";
import { refuseInputs, withEnding, writeOutputs } from "./_outputs.ts";
import { forceInputs, parseAddress } from "./_inputs.ts";

const inputs = {
  key: requiredText("private key, PEM", { complete: "files" }),
  ip: {
    ...requiredText("IP address for the certificate"),
    parse: parseAddress,
  },
  roles: strings("roles to request", { initial: ["os:admin"] }),
  ...forceInputs,
};

export const command = silently({
  summary: "Generate a certificate request",
  description:
    `Writes one file next to the key, with the suffix .csr. The roles become the organizations of the subject. The key
can be an Ed25519, ECDSA or RSA key, in PKCS#8, SEC1 or PKCS#1.`,
  inputs,
  examples: [
    "gen csr --key admin.key --ip 10.0.0.2",
    "gen csr --key reader.key --ip 10.0.0.2 --roles os:reader",
  ],
  async work({ input: { key, ip, roles, force } }) {
    const organizations = parseRoles(roles);
    if (organizations.length === 0) {
      throw new UsageError("Flag --roles is empty", {
        hint: "Omit it for os:admin",
      });
    }
    const path = withEnding(key, ".csr");
    await refuseInputs([path], [key]);
    const request = await readPemFile(key, (pem) =>
      createRequest({
        key: decodePrivateKey(pem),
        organizations,
        subjectAltNames: { ips: [ip] },
      }));
    const content = encodePem(pemLabel.request, request);
    await writeOutputs([{ path, content }], force);
  },
});
