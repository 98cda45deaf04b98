import { isObjectName } from "../../rules/labels.ts";
import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const kubeInlineManifest = documentKind((document) =>
  nameRules(document.get("name"))
)`
KubeInlineManifestConfig | named, since 1.14 | Inline manifest, applied at bootstrap
  = {"name": "namespace-ci", "manifest": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n"}
  name     | text, always | Name of the manifests | "namespace-ci"
  manifest | string, always | Manifests, YAML | "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n"
`;

export const kubeExternalManifest = documentKind(
  kubeExternalManifestRules,
)`
KubeExternalManifestConfig | named, since 1.14 | External manifest, applied at bootstrap
  = {"name": "storage", "url": "https://example.com/storage.yaml"}
  name    | text, always | Name of the manifests | "storage"
  headers | map(string) | HTTP headers of the request | {"X-Tenant": "production"}
  url     | url, always, required | URL of the manifests | "https://example.com/storage.yaml"
`;

function* kubeExternalManifestRules(document: Cursor): Iterable<Problem> {
  yield* nameRules(document.get("name"));
  const given = document.get("url");
  const text = given.text() ?? "";
  if (text !== "" && !/^https?$/.test(parseUrl(text)?.scheme ?? "")) {
    yield given.error(
      `URL "${text}" does not start with http:// or https://`,
      "Write a URL such as https://example.com/storage.yaml",
    );
  }
}

export const kubeStaticPod = documentKind(kubeStaticPodRules)`
KubeStaticPodConfig | named, since 1.14 | A static pod
  = {"name": "proxy", "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "proxy"},
    "spec": {"containers": [{"name": "proxy", "image": "registry.example.org/proxy:v2"}]}}}
  name | text, always | Name of the pod | "proxy"
  pod  | free, always, replace | Pod definition
    = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "proxy"},
      "spec": {"containers": [{"name": "proxy", "image": "registry.example.org/proxy:v2"}]}}
`;

function* kubeStaticPodRules(document: Cursor): Iterable<Problem> {
  yield* nameRules(document.get("name"));
  const given = document.get("pod");
  if (given.entries().length > 0) return;
  yield given.error('"pod" is missing', "Give the pod");
}

function* nameRules(given: Cursor): Iterable<Problem> {
  const text = given.text() ?? "";
  if (text === "" || isObjectName(text)) return;
  yield given.error(
    `Name "${text}" is not valid`,
    "Use lowercase letters, digits, hyphens and dots",
  );
}
