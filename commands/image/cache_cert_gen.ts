import { stringify } from "yaml";
import { document } from "../../config/generate/split_documents.ts";
import { isDnsName } from "../../config/documents/checks.ts";
import { canonicalAddress } from "../../lib/ip.ts";
import { takenAmong, writeFilesAtomic } from "../../lib/files/file_set.ts";
import { RefusedError, UsageError } from "../../errors.ts";
import { createCa } from "../../pki/ca.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import {
  InputProblem,
  integer,
  silently,
  strings,
  text,
  toggle,
} from "../_kit/mod.ts";

const inputs = {
  advertisedAddress: {
    ...strings("IP addresses of the server"),
    parse(value: string, before: readonly string[] | undefined) {
      return [...before ?? [], ...value.split(",").map(parseAddress)];
    },
  },
  advertisedName: {
    ...strings("DNS names of the server"),
    parse(value: string, before: readonly string[] | undefined) {
      return [...before ?? [], ...value.split(",").map(parseName)];
    },
  },
  tlsCaFile: text("file for the CA certificate", {
    initial: "ca.crt",
    complete: "files",
  }),
  tlsCertFile: text("file for the certificate of the server", {
    initial: "tls.crt",
    complete: "files",
  }),
  tlsKeyFile: text("file for its key", {
    initial: "tls.key",
    complete: "files",
  }),
  hours: integer("lifetime of the certificates, in hours", {
    initial: 8_760,
    least: 1,
  }),
  force: toggle("replace existing files", { short: "f" }),
};

const patchFile = "image-cache-patch.yaml";

export const command = silently({
  summary: "Generate the certificate of an image cache server",
  description:
    `Writes a CA certificate, a certificate for "image cache-serve" with its key, and ${patchFile}, a
configuration patch with which nodes trust the CA. The key of the CA is not kept.`,
  inputs,
  examples: [
    "image cache-cert-gen --advertised-address 10.0.0.10 --advertised-name cache.example.com",
  ],
  noStep: "it only writes files on this machine",
  async work({ input, environment, note }) {
    const { advertisedAddress: ips, advertisedName: dnsNames, force } = input;
    if (ips.length + dnsNames.length === 0) {
      throw new UsageError(
        "Flag --advertised-address or --advertised-name is required",
      );
    }
    const now = environment.now();
    const notAfter = new Date(now.getTime() + input.hours * 3_600_000);
    const ca = await createCa({
      organizations: ["image cache CA"],
      algorithm: "ECDSA",
      now,
      notAfter,
    });
    const key = await generateKey("ECDSA");
    const certificate = await issueCertificate({
      ca,
      publicKey: await exportPublicSpki(key),
      subject: { organizations: ["image cache"] },
      subjectAltNames: { ips, dns: dnsNames },
      extendedKeyUsage: ["serverAuth"],
      now,
      notAfter,
    });
    const certificates = encodePem(pemLabel.certificate, ca.certificate);
    const patch = document("TrustedRootsConfig", {
      name: "image-cache-ca",
      certificates,
    });
    const files = [
      { path: input.tlsCaFile, content: certificates },
      {
        path: input.tlsCertFile,
        content: encodePem(pemLabel.certificate, certificate),
      },
      { path: input.tlsKeyFile, content: encodePrivateKey(key) },
      { path: patchFile, content: stringify(patch) },
    ];
    const [taken] = force
      ? []
      : await takenAmong(files.map(({ path }) => path));
    if (taken !== undefined) {
      throw new RefusedError(`"${taken}" already exists`, {
        hint: "Replace it with --force",
      });
    }
    await writeFilesAtomic(files, { overwrite: force });
    note(`Wrote ${files.map(({ path }) => path).join(", ")}`);
  },
});

function parseName(text: string): string {
  const name = text.trim();
  if (isDnsName(name.replace(/^\*\./, ""))) return name;
  throw new InputProblem("must be a DNS name such as cache.example.com");
}

function parseAddress(text: string): string {
  const address = canonicalAddress(text.trim());
  if (address !== undefined) return address;
  throw new InputProblem("must be an IP address such as 10.0.0.2 or fd00::2");
}
