import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePem, pemLabel } from "../../../pki/pem.ts";
import { decodePrivateKey } from "../../../pki/private_key.ts";
import type { Cursor } from "../cursor.ts";
import { examplePemCertificate, examplePemKey } from "../example_material.ts";
import type { Problem } from "../problem.ts";
import { openText, string, url } from "../scalars/scalars.ts";
import type { DocumentKind, Field, Fields } from "../schema.ts";
import { field, free, list, struct } from "../shapes.ts";

const pair = { cert: examplePemCertificate, key: examplePemKey };

function caFields(whose: string): Fields {
  return {
    issuingCA: field(
      struct({
        cert: field(openText, "Certificate, PEM"),
        key: field(string, "Private key, PEM", { secret: true }),
      }),
      `${whose}; not on workers`,
      { optional: true },
    ),
    acceptedCAs: field(
      list(openText),
      "Additional accepted CA certificates, PEM",
    ),
  };
}

/** `KubeAPIServerCAConfig`. */
export const kubeApiServerCa: DocumentKind = {
  kind: "KubeAPIServerCAConfig",
  summary: "CA of the Kubernetes API server",
  named: false,
  since: "1.14",
  fields: caFields("Issuing CA with its key"),
  examples: [
    { title: "A control plane", value: { issuingCA: pair } },
    { title: "A worker", value: { acceptedCAs: [examplePemCertificate] } },
  ],
  rules: caRules,
};

/** `KubeAggregatorCAConfig`. */
export const kubeAggregatorCa: DocumentKind = {
  kind: "KubeAggregatorCAConfig",
  summary: "CA of the API aggregation layer",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: caFields("Issuing CA with its key"),
  examples: [{ value: { issuingCA: pair } }],
  *rules(document) {
    const issuing = document.get("issuingCA");
    if (issuing.node === undefined) {
      yield issuing.error('"issuingCA" is missing', "Give cert and key, PEM");
    }
    yield* caRules(document);
  },
};

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

const issuerUrl = "https://cluster.example.com:6443";

const accepted: Field = field(
  struct({
    publicKeys: field(list(openText), "Additional public keys, PEM"),
    issuers: field(list(url), "Additional issuers", {
      example: ["https://old.example.com:6443"],
    }),
    audiences: field(list(openText), "Accepted API audiences", {
      initial: "the URL of the issuer",
      example: [issuerUrl],
    }),
  }),
  "Additionally accepted tokens",
);

/** `KubeServiceAccountConfig`. */
export const kubeServiceAccount: DocumentKind = {
  kind: "KubeServiceAccountConfig",
  summary: "Service account issuer",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    issuer: field(
      struct({
        privateKey: field(string, "Private key that signs tokens, PEM", {
          always: true,
          required: true,
          secret: true,
        }),
        issuerURL: field(url, "Issuer URL", {
          always: true,
          required: true,
          example: issuerUrl,
        }),
      }),
      "Issuer settings",
      { always: true, required: true },
    ),
    accepted,
  },
  examples: [{
    value: { issuer: { privateKey: examplePemKey, issuerURL: issuerUrl } },
  }],
  *rules(document) {
    const key = document.get("issuer", "privateKey");
    if (key.text()) yield* keyRules(key);
  },
};

const encryption = {
  resources: [{
    resources: ["secrets"],
    providers: [{
      secretbox: {
        keys: [{
          name: "key1",
          secret: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        }],
      },
    }],
  }],
} as const;

/** `KubeEtcdEncryptionConfig`. */
export const kubeEtcdEncryption: DocumentKind = {
  kind: "KubeEtcdEncryptionConfig",
  summary: "Encryption of Kubernetes secrets in etcd",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    config: field(
      free,
      "EncryptionConfiguration of the API server, without apiVersion and kind",
      { always: true, example: encryption },
    ),
  },
  examples: [{ value: { config: encryption } }],
  *rules(document) {
    const config = document.get("config");
    if (config.entries().length > 0) return;
    yield config.error(
      '"config" is missing',
      "Give resources and providers",
    );
  },
};
