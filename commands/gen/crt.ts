import { readPemFile } from "../../lib/files/pem_file.ts";
import { ConfigError } from "../../errors.ts";
import { readCa } from "../../pki/ca.ts";
import {
  type CertificateAuthority,
  issueCertificate,
} from "../../pki/certificate.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, encodePem, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { exists } from "../../lib/files/exists.ts";
import { requiredText, silently } from "../_kit/mod.ts";
import { refuseInputs, withEnding, writeOutputs } from "./_outputs.ts";
import { addValidity, forceInputs, hoursFlag } from "./_inputs.ts";

const inputs = {
  ca: requiredText(
    "CA certificate, PEM; the .crt suffix may be omitted",
    {
      complete: "files",
    },
  ),
  csr: requiredText("certificate request, PEM", { complete: "files" }),
  name: requiredText("name of the file, without .crt"),
  hours: hoursFlag(24),
  ...forceInputs,
};

export const command = silently({
  summary: "Sign a certificate request",
  description:
    `Writes NAME.crt, a client certificate for the node API. Subject, key and addresses come from the request. The CA
key must be next to the CA certificate, with the suffix .key.`,
  inputs,
  examples: [
    "gen crt --ca example --csr admin.csr --name admin",
    "gen crt --ca pki/example.crt --csr admin.csr --name admin --hours 8760",
  ],
  async work({ input, environment, note }) {
    const { ca: named, csr, hours, name, force } = input;
    const path = `${name}.crt`;
    const files = await caFiles(named);
    await refuseInputs([path], [files.crt, files.key, csr]);
    const ca = await loadCa(files);
    const now = environment.now();
    const notAfter = addValidity(now, hours);
    const certificate = await readPemFile(csr, (pem) =>
      issueCertificate({
        ca,
        request: decodePemAs(pemLabel.request, pem)[0],
        extendedKeyUsage: ["clientAuth"],
        now,
        notAfter,
      }));
    const last = inspectCertificate(ca.certificate).notAfter;
    const content = encodePem(pemLabel.certificate, certificate);
    await writeOutputs([{ path, content }], force);
    if (last < notAfter) {
      note(
        `warning: The CA expires before the certificate, on ${last.toISOString()}`,
      );
    }
  },
});

interface SigningFiles {
  readonly crt: string;
  readonly key: string;
}

async function caFiles(named: string): Promise<SigningFiles> {
  const crt = `${named}.crt`;
  if (await exists(crt)) return { crt, key: `${named}.key` };
  if (await exists(named)) {
    return { crt: named, key: withEnding(named, ".key") };
  }
  throw new ConfigError(
    `Cannot read the CA certificate: there is neither "${named}" nor "${crt}"`,
  );
}

async function loadCa(
  { crt, key }: SigningFiles,
): Promise<CertificateAuthority> {
  const keyPem = await readPemFile(key, (pem) => {
    decodePrivateKey(pem);
    return pem;
  });
  return await readPemFile(crt, (pem) => readCa(pem, keyPem));
}
