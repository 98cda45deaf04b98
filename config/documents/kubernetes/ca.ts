import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePem, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import type { Cursor } from "../cursor.ts";
import { examplePemCertificate, examplePemKey } from "../example_material.ts";
import type { Problem } from "../problem.ts";
import { example32Bytes } from "../example_material.ts";
import { documentKind, fieldTable } from "../table.ts";

const issuer = fieldTable`
issuingCA   | struct, optional | Issuing CA with its key; not on workers
  cert      | text | Certificate, PEM
  key       | string, secret | Private key, PEM
acceptedCAs | list(text) | Additional accepted CA certificates, PEM
`;

export const kubeApiServerCa = documentKind(caRules)`
KubeAPIServerCAConfig | since 1.14 | CA of the Kubernetes API server
  = A control plane | {"issuingCA": {"cert": "${examplePemCertificate}", "key": "${examplePemKey}"}}
  = A worker | {"acceptedCAs": ["${examplePemCertificate}"]}
  ...${issuer}
`;

export const kubeAggregatorCa = documentKind(
  kubeAggregatorCaRules,
)`
KubeAggregatorCAConfig | controlplane, since 1.14 | CA of the API aggregation layer
  = {"issuingCA": {"cert": "${examplePemCertificate}", "key": "${examplePemKey}"}}
  ...${issuer}
`;

function* kubeAggregatorCaRules(document: Cursor): Iterable<Problem> {
  const issuing = document.get("issuingCA");
  if (issuing.node === undefined) {
    yield issuing.error('"issuingCA" is missing', "Give cert and key, PEM");
  }
  yield* caRules(document);
}

function* caRules(document: Cursor): Iterable<Problem> {
  const issuing = document.get("issuingCA");
  if (issuing.node !== undefined) {
    yield* certificateRules(issuing.get("cert"));
    yield* keyRules(issuing.get("key"));
  }
  for (const item of document.get("acceptedCAs").items()) {
    yield* certificateRules(item);
  }
}

const redacted = "******";

function* certificateRules(place: Cursor): Iterable<Problem> {
  const isWrong = fails(() => {
    for (const { label, der } of decodePem(place.text() ?? "")) {
      if (label !== pemLabel.certificate) throw new ConfigError(label);
      inspectCertificate(der);
    }
  });
  if (isWrong) {
    yield place.error(
      "It contains no valid certificate",
      "Give a certificate, PEM",
    );
  }
}

function* keyRules(place: Cursor): Iterable<Problem> {
  const text = place.text() ?? "";
  if (text !== redacted && fails(() => decodePrivateKey(text))) {
    yield place.error(
      "It contains no valid private key",
      "Give a private key, PEM",
    );
  }
}

function fails(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof ConfigError) return true;
    throw error;
  }
}

export const kubeServiceAccount = documentKind(
  kubeServiceAccountRules,
)`
KubeServiceAccountConfig | controlplane, since 1.14 | Service account issuer
  = {"issuer": {"privateKey": "${examplePemKey}", "issuerURL": "https://cluster.example.com:6443"}}
  issuer       | struct, always, required | Issuer settings
    privateKey | string, always, required, secret | Private key that signs tokens, PEM
    issuerURL  | url, always, required | Issuer URL | "https://cluster.example.com:6443"
  accepted     | struct | Additionally accepted tokens
    publicKeys | list(text) | Additional public keys, PEM
    issuers    | list(url) | Additional issuers | ["https://old.example.com:6443"]
    audiences  | list(text), default the URL of the issuer | Accepted API audiences
      = ["https://cluster.example.com:6443"]
`;

function* kubeServiceAccountRules(document: Cursor): Iterable<Problem> {
  const key = document.get("issuer", "privateKey");
  if (key.text()) yield* keyRules(key);
}

export const kubeEtcdEncryption = documentKind(
  kubeEtcdEncryptionRules,
)`
KubeEtcdEncryptionConfig | controlplane, since 1.14 | Encryption of Kubernetes secrets in etcd
  = {"config": {"resources": [{"resources": ["secrets"],
    "providers": [{"secretbox": {"keys": [{"name": "key1", "secret": "${example32Bytes}"}]}}]}]}}
  config | free, always | EncryptionConfiguration of the API server, without apiVersion and kind
    = {"resources": [{"resources": ["secrets"], "providers": [{"secretbox": {"keys": [{"name": "key1",
      "secret": "${example32Bytes}"}]}}]}]}
`;

function* kubeEtcdEncryptionRules(document: Cursor): Iterable<Problem> {
  const config = document.get("config");
  if (config.entries().length > 0) return;
  yield config.error(
    '"config" is missing',
    "Give resources and providers",
  );
}
