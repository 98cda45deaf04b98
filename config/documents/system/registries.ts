import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePem, decodePemAs, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import { examplePemCertificate, examplePemKey } from "../example_material.ts";
import type { Problem } from "../problem.ts";
import { isOlderMinor } from "../../../lib/version.ts";
import type { OsVersion } from "../schema.ts";
import { documentKind } from "../table.ts";

export const registryAuth = documentKind(authRules)`
RegistryAuthConfig | named, since 1.12 | Credentials for an image registry
  = Username and password | {"name": "registry.example.org", "username": "puller",
    "password": "correct horse"}
  = Combined, as in a Docker client configuration | {"name": "registry.example.org",
    "auth": "cHVsbGVyOmNvcnJlY3QgaG9yc2U="}
  name          | text, always | Host of the registry or mirror | "registry.example.org"
  username      | text | Username | "puller"
  password      | string, secret | Password
  auth          | string, secret | Username and password joined by a colon, in base64
  identityToken | string, secret | Identity token
`;

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

export const registryMirror = documentKind(mirrorRules)`
RegistryMirrorConfig | named, since 1.12 | Mirrors of an image registry
  = {"name": "registry.k8s.io", "endpoints": [{"url": "https://mirror.example.org/v2/k8s",
    "overridePath": true}, {"url": "http://10.0.0.10:5000"}], "skipFallback": true}
  name           | text, always | Host of the registry as in image names, or * for all others
    = "registry.k8s.io"
  endpoints      | list(struct) | Mirrors, in the order they are tried
    = [{"url": "https://mirror.example.org"}]
    url          | url, always, required | URL of the mirror | "https://mirror.example.org"
    overridePath | boolean, optional, default false | Whether to use the URL's path unchanged instead of appending to it
  skipFallback   | boolean, optional, default false | Whether to skip the registry itself if all mirrors fail
`;

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

export const registryTls = documentKind(tlsRules)`
RegistryTLSConfig | named, since 1.12 | TLS settings for an image registry
  = A registry with its own CA | {"name": "registry.example.org",
    "clientIdentity": {"cert": "${examplePemCertificate}", "key": "${examplePemKey}"},
    "ca": "${examplePemCertificate}"}
  = A registry whose certificate is not verified, for tests | {"name": "10.0.0.10:5000",
    "insecureSkipVerify": true}
  name               | text, always | Host of the registry or mirror | "registry.example.org"
  clientIdentity     | struct, optional | Client certificate and key for mutual TLS
    cert             | text | Client certificate, PEM
    key              | string, secret | Private key, PEM
  ca                 | string, secret | CA certificates to trust in addition to the system's, PEM
  insecureSkipVerify | boolean, optional, default false | Whether to skip verification of the registry's certificate
`;

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
  } else if (isOlderMinor(version, "1.14")) {
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
