import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePem, decodePemAs, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import { examplePemCertificate, examplePemKey } from "../example_material.ts";
import type { Problem } from "../problem.ts";
import { isBefore } from "../requirements.ts";
import { boolean, openText, string, url } from "../scalars/scalars.ts";
import type { DocumentKind, OsVersion } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `RegistryAuthConfig`. */
export const registryAuth: DocumentKind = {
  kind: "RegistryAuthConfig",
  summary: "Credentials for an image registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or mirror",
      "registry.example.org",
    ),
    username: field(openText, "Username", { example: "puller" }),
    password: field(string, "Password", { secret: true }),
    auth: field(
      string,
      "Username and password joined by a colon, in base64",
      { secret: true },
    ),
    identityToken: field(string, "Identity token", {
      secret: true,
    }),
  },
  examples: [
    {
      title: "Username and password",
      value: {
        name: "registry.example.org",
        username: "puller",
        password: "correct horse",
      },
    },
    {
      title: "Combined, as in a Docker client configuration",
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
      `Both "${first}" and "${key}" are given`,
      "Use only one kind of credentials",
    );
  }
}

/** `RegistryMirrorConfig`. */
export const registryMirror: DocumentKind = {
  kind: "RegistryMirrorConfig",
  summary: "Mirrors of an image registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry as in image names, or * for all others",
      "registry.k8s.io",
    ),
    endpoints: field(
      list(struct({
        url: field(url, "URL of the mirror", {
          always: true,
          required: true,
          example: "https://mirror.example.org",
        }),
        overridePath: field(
          boolean,
          "Whether to use the URL's path unchanged instead of appending to it",
          { optional: true, initial: "false" },
        ),
      })),
      "Mirrors, in the order they are tried",
      { example: [{ url: "https://mirror.example.org" }] },
    ),
    skipFallback: field(
      boolean,
      "Whether to skip the registry itself if all mirrors fail",
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
        `URL "${text}" does not start with http:// or https://`,
        `Write https://${text.replace(/^.*:\/\//, "")}`,
      );
    }
  }
}

/** `RegistryTLSConfig`. */
export const registryTls: DocumentKind = {
  kind: "RegistryTLSConfig",
  summary: "TLS settings for an image registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or mirror",
      "registry.example.org",
    ),
    clientIdentity: field(
      struct({
        cert: field(openText, "Client certificate, PEM"),
        key: field(string, "Private key, PEM", { secret: true }),
      }),
      "Client certificate and key for mutual TLS",
      { optional: true },
    ),
    ca: field(
      string,
      "CA certificates to trust in addition to the system's, PEM",
      { secret: true },
    ),
    insecureSkipVerify: field(
      boolean,
      "Whether to skip verification of the registry's certificate",
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
      title: "A registry whose certificate is not verified, for tests",
      value: { name: "10.0.0.10:5000", insecureSkipVerify: true },
    },
  ],
  rules: tlsRules,
};

function* tlsRules(
  document: Cursor,
  version: OsVersion = "1.12",
): Iterable<Problem> {
  const ca = document.get("ca");
  const authorities = ca.text() ?? "";
  if (authorities !== "" && !holds(authorities, inspectAny)) {
    yield ca.error(
      "It contains no valid certificate",
      "Give at least one certificate, PEM",
    );
  }
  const identity = document.get("clientIdentity");
  if (identity.node === undefined) return;
  const [cert, key] = [identity.get("cert"), identity.get("key")];
  if (!holds(cert.text() ?? "", inspectFirst)) {
    yield cert.error(
      "It contains no valid certificate",
      "Give a certificate, PEM",
    );
  }
  if (!holds(key.text() ?? "", decodePrivateKey)) {
    yield key.error(
      "It contains no valid private key",
      "Give a private key, PEM",
    );
  } else if (isBefore(version, "1.14")) {
    const [, label] = /-----BEGIN ((?:EC|RSA) PRIVATE KEY)-----/
      .exec(key.text() ?? "") ?? [];
    if (label === undefined) return;
    yield key.error(
      `Nodes before 1.14 do not accept a key of the form "${label}"`,
      "Convert it to PKCS#8: openssl pkcs8 -topk8 -nocrypt -in client.key",
    );
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
