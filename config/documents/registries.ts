/** Registries of container images. */

import { ConfigError } from "../../errors.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePem, decodePemAs, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { parseUrl } from "./checks.ts";
import type { Cursor } from "./cursor.ts";
import { examplePemCertificate, examplePemKey } from "./example_material.ts";
import type { Problem } from "./problem.ts";
import { boolean, openText, string, url } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, list, nameField, struct } from "./shapes.ts";

/** `RegistryAuthConfig`. */
export const registryAuth: DocumentKind = {
  kind: "RegistryAuthConfig",
  summary: "How the node signs in to a registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or of its mirror",
      "registry.example.org",
    ),
    username: field(openText, "Name of the user", { example: "puller" }),
    password: field(string, "Password of the user", { secret: true }),
    auth: field(
      string,
      "Name and password with a colon between them, in base64",
      { secret: true },
    ),
    identityToken: field(string, "Token that identifies the user", {
      secret: true,
    }),
  },
  examples: [
    {
      title: "User and password",
      value: {
        name: "registry.example.org",
        username: "puller",
        password: "correct horse",
      },
    },
    {
      title: "Both in one, as client configurations have them",
      value: {
        name: "registry.example.org",
        auth: "cHVsbGVyOmNvcnJlY3QgaG9yc2U=",
      },
    },
  ],
  rules: authRules,
};

function* authRules(document: Cursor): Iterable<Problem> {
  const given = ["username", "auth", "identityToken"].filter((key) =>
    (document.get(key).text() ?? "") !== ""
  );
  const [first, ...others] = given;
  for (const key of others) {
    yield document.get(key).error(
      `"${key}" is given although "${first}" is`,
      "Sign in one way only",
    );
  }
}

/** `RegistryMirrorConfig`. */
export const registryMirror: DocumentKind = {
  kind: "RegistryMirrorConfig",
  summary: "Places that images of a registry are pulled from",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry as image names have it, or * for the rest",
      "registry.k8s.io",
    ),
    endpoints: field(
      list(struct({
        url: field(url, "Address of the mirror", {
          always: true,
          required: true,
          example: "https://mirror.example.org",
        }),
        overridePath: field(
          boolean,
          "Whether nothing is put behind the path of the URL",
          { optional: true, initial: "false" },
        ),
      })),
      "Mirrors, tried in order",
      { example: [{ url: "https://mirror.example.org" }] },
    ),
    skipFallback: field(
      boolean,
      "Whether the registry itself is not tried after the mirrors",
      { optional: true, initial: "false" },
    ),
  },
  examples: [{
    value: {
      name: "registry.k8s.io",
      endpoints: [
        {
          url: "https://mirror.example.org/v2/k8s",
          overridePath: true,
        },
        { url: "http://10.0.0.10:5000" },
      ],
      skipFallback: true,
    },
  }],
  rules: mirrorRules,
};

function* mirrorRules(document: Cursor): Iterable<Problem> {
  for (const item of document.get("endpoints").items()) {
    const given = item.get("url");
    const text = given.text() ?? "";
    const scheme = parseUrl(text)?.scheme;
    if (text !== "" && scheme !== "http" && scheme !== "https") {
      yield given.error(
        `URL "${text}" does not begin with http:// or https://`,
        `Write https://${text.replace(/^.*:\/\//, "")}`,
      );
    }
  }
}

/** `RegistryTLSConfig`. */
export const registryTls: DocumentKind = {
  kind: "RegistryTLSConfig",
  summary: "Certificates for connections to a registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or of its mirror",
      "registry.example.org",
    ),
    clientIdentity: field(
      struct({
        cert: field(openText, "Certificate, PEM"),
        key: field(string, "Private key, PEM", { secret: true }),
      }),
      "What the node shows to a registry that asks for a certificate",
      { optional: true },
    ),
    ca: field(
      string,
      "Authorities that are trusted beside the usual ones, PEM",
      { secret: true },
    ),
    insecureSkipVerify: field(
      boolean,
      "Whether any certificate of the registry will do",
      { optional: true, initial: "false" },
    ),
  },
  examples: [
    {
      title: "A registry with its own CA",
      value: {
        name: "registry.example.org",
        clientIdentity: { cert: examplePemCertificate, key: examplePemKey },
        ca: examplePemCertificate,
      },
    },
    {
      title: "A registry for tests",
      value: { name: "10.0.0.10:5000", insecureSkipVerify: true },
    },
  ],
  rules: tlsRules,
};

function* tlsRules(document: Cursor): Iterable<Problem> {
  const ca = document.get("ca");
  const authorities = ca.text() ?? "";
  if (authorities !== "" && !holds(authorities, inspectAny)) {
    yield ca.error(
      "No certificate can be read",
      "Give at least one certificate, PEM",
    );
  }
  const identity = document.get("clientIdentity");
  if (identity.node === undefined) return;
  const [cert, key] = [identity.get("cert"), identity.get("key")];
  if (!holds(cert.text() ?? "", inspectFirst)) {
    yield cert.error("No certificate can be read", "Give a certificate, PEM");
  }
  if (!holds(key.text() ?? "", decodePrivateKey)) {
    yield key.error("No private key can be read", "Give a private key, PEM");
  }
}

function holds(text: string, read: (text: string) => unknown): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function inspectFirst(text: string): void {
  const [first] = decodePem(text);
  if (first !== undefined) inspectCertificate(first.der);
}

function inspectAny(text: string): void {
  const [first, ...others] = decodePemAs(pemLabel.certificate, text);
  if (!others.some((der) => holdsCertificate(der))) inspectCertificate(first);
}

function holdsCertificate(der: Uint8Array): boolean {
  return holds("", () => inspectCertificate(der));
}
