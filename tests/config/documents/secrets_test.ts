import assert from "node:assert/strict";
import { findFields, loadDocuments } from "../../../config/documents/load.ts";
import { learnSecrets } from "../../../config/documents/secrets.ts";
import { createMasker } from "../../../lib/masker.ts";

const certificate = btoa(
  "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
);

/** A text as it looks when it was masked by one who knows the configuration. */
function maskText(config: string, text: string): string {
  const masker = createMasker();
  for (const { root, schema } of loadDocuments(config, "f").documents) {
    learnSecrets(root, schema && findFields(schema), masker);
  }
  return masker.mask(text);
}

Deno.test("findSecrets: finds the secrets of a configuration and nothing else", () =>
  assert.equal(
    maskText(
      `machine:
  type: controlplane
  token: aaaaaa.bbbbbbbbbbbbbbbb
  ca:
    crt: ${certificate}
    key: ${btoa("-----BEGIN EC PRIVATE KEY-----\nklmnopqrstuvwxyz\n")}
  install: {disk: /dev/sda-very-long, image: ghcr.io/siderolabs/installer:v1.12.0}
`,
      `aaaaaa.bbbbbbbbbbbbbbbb ${certificate} /dev/sda-very-long klmnopqrstuvwxyz ghcr.io/siderolabs/installer:v1.12.0 type: controlplane`,
    ),
    `****** ${certificate} /dev/sda-very-long ****** ghcr.io/siderolabs/installer:v1.12.0 type: controlplane`,
  ));

Deno.test("texts that may be secret are hidden, as a whole, by line and by word", () =>
  assert.equal(
    maskText(
      `machine:
  env: {TOKEN: onlyletterssecret, HTTP_PROXY: "http://user:pa55word@10.0.0.9:3128", NO_PROXY: 10.0.0.0/8}
  files:
  - path: /var/a
    content: |
      [section]
      password = correct horse battery staple
      key: "k3y-0f-file"
  install: {extraKernelArgs: ["api=grpc://a.example.com?jointoken=j0in-t0ken"]}
  systemDiskEncryption:
    state: {keys: [{static: {passphrase: hunter2!}, slot: 0}]}
cluster:
  inlineManifests:
  - name: a
    contents: "apiVersion: v1\\nkind: Secret\\nmetadata: {namespace: kube-system}\\nstringData: {a: pl4nted-value}\\n"
`,
      [
        "TOKEN=onlyletterssecret pa55word",
        "10.0.0.0/8 /var/a [section] kube-system Secret apiVersion: v1",
        "it was correct horse battery staple or k3y-0f-file",
        "j0in-t0ken hunter2! pl4nted-value",
      ].join("\n"),
    ),
    [
      "TOKEN=****** ******",
      "10.0.0.0/8 /var/a [section] kube-system Secret apiVersion: v1",
      "it was ****** or ******",
      "****** ****** ******",
    ].join("\n"),
  ));

Deno.test("in a kind that is not known everything is hidden that is not a usual word", () =>
  assert.equal(
    maskText(
      `apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
name: issuing-authority
mode: controlplane
issuingCA:
  cert: |-
    -----BEGIN CERTIFICATE-----
    publ1cPartOfIt+
  key: |-
    -----BEGIN EC PRIVATE KEY-----
    s3cretPartOfIt+
`,
      "issuing-authority controlplane publ1cPartOfIt+ s3cretPartOfIt+",
    ),
    "issuing-authority controlplane ****** ******",
  ));
