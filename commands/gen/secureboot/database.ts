import { readPemFile } from "../../../lib/files/pem_file.ts";
import {
  bootCertificates,
  keyExchangeCertificates,
  wellKnownOwner,
} from "../../../pki/efi_certificates.ts";
import {
  type EfiVariable,
  encodeSignatureLists,
  type EnrolledCertificate,
  ownerGuid,
  signUpdate,
} from "../../../pki/efi_variable.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import { makeRsaSigner, type RsaSigner } from "../../../pki/signed_data.ts";
import { silently, text, toggle, type Values } from "../../_kit/mod.ts";
import { refuseInputs } from "../_outputs.ts";
import { folderInputs, pathIn, refuseTakenIn, writeInto } from "./_folder.ts";

const inputs = {
  enrolledCertificate: text("certificate to enroll, PEM", {
    initial: "_out/uki-signing-cert.pem",
    complete: "files",
  }),
  signingCertificate: text("certificate that signs the updates, PEM", {
    initial: "_out/uki-signing-cert.pem",
    complete: "files",
  }),
  signingKey: text("RSA key of the signing certificate, PEM", {
    initial: "_out/uki-signing-key.pem",
    complete: "files",
  }),
  includeWellKnownUefiCerts: toggle(
    "also enroll the certificates that firmware usually ships with",
  ),
  ...folderInputs,
};

export const command = silently({
  summary: "Generate Secure Boot databases for firmware",
  description:
    `Writes three files, each a signed update of the firmware variable of that name: db.auth (accepted signatures),
KEK.auth (who may change db) and PK.auth (who may change KEK). All contain the enrolled certificate. Enroll them in this
order, with the firmware in setup mode. Without the well-known certificates, firmware refuses devices whose option ROMs
are signed with them.`,
  inputs,
  examples: [
    "gen secureboot database",
    "gen secureboot database --include-well-known-uefi-certs -o keys",
  ],
  async work({ input, environment, note }) {
    const names = updates.map(formatFile);
    await refuseTakenIn(names, input);
    await refuseInputs(
      names.map((name) => pathIn(input.output, name)),
      [input.enrolledCertificate, input.signingCertificate, input.signingKey],
    );
    const enrolled = await readPemFile(
      input.enrolledCertificate,
      parseEnrolled,
    );
    const signer = await loadSigner(input);
    const time = environment.now();
    const files: Record<string, Uint8Array> = {};
    for (const name of updates) {
      const more = input.includeWellKnownUefiCerts ? wellKnown[name] : [];
      const value = encodeSignatureLists([enrolled, ...more.map(wellKnownOne)]);
      files[formatFile(name)] = await signUpdate({ name, value, time }, signer);
    }
    await writeInto(files, { ...input, note });
  },
});

/** In the order of enrollment: once `PK` is set, the others need its signature. */
const updates: readonly EfiVariable[] = ["db", "KEK", "PK"];

const wellKnown: Readonly<Record<EfiVariable, readonly string[]>> = {
  db: bootCertificates,
  KEK: keyExchangeCertificates,
  PK: [],
};

function formatFile(name: EfiVariable): string {
  return `${name}.auth`;
}

function wellKnownOne(base64: string): EnrolledCertificate {
  return { owner: wellKnownOwner, certificate: Uint8Array.fromBase64(base64) };
}

async function parseEnrolled(pem: Uint8Array): Promise<EnrolledCertificate> {
  return { owner: await ownerGuid(pem), certificate: parseCertificate(pem) };
}

async function loadSigner(
  { signingCertificate, signingKey }: Values<typeof inputs>,
): Promise<RsaSigner> {
  const certificate = await readPemFile(signingCertificate, parseCertificate);
  return await readPemFile(
    signingKey,
    (pem) => makeRsaSigner(certificate, decodePrivateKey(pem)),
  );
}

function parseCertificate(pem: Uint8Array): Uint8Array {
  const [der] = decodePemAs(pemLabel.certificate, pem);
  inspectCertificate(der);
  return der;
}
