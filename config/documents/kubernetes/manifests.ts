import { isObjectName } from "../../rules/labels.ts";
import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { string, url } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, free, map, nameField } from "../shapes.ts";

const manifest = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n";

/** `KubeInlineManifestConfig`. */
export const kubeInlineManifest: DocumentKind = {
  kind: "KubeInlineManifestConfig",
  summary: "Inline manifest, applied at bootstrap",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the manifests", "namespace-ci"),
    manifest: field(string, "Manifests, YAML", {
      always: true,
      example: manifest,
    }),
  },
  examples: [{ value: { name: "namespace-ci", manifest } }],
  rules: (document) => nameRules(document.get("name")),
};

/** `KubeExternalManifestConfig`. */
export const kubeExternalManifest: DocumentKind = {
  kind: "KubeExternalManifestConfig",
  summary: "External manifest, applied at bootstrap",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the manifests", "storage"),
    headers: field(map(string), "HTTP headers of the request", {
      example: { "X-Tenant": "production" },
    }),
    url: field(url, "URL of the manifests", {
      always: true,
      required: true,
      example: "https://example.com/storage.yaml",
    }),
  },
  examples: [{
    value: { name: "storage", url: "https://example.com/storage.yaml" },
  }],
  *rules(document) {
    yield* nameRules(document.get("name"));
    const given = document.get("url");
    const text = given.text() ?? "";
    if (text !== "" && !/^https?$/.test(parseUrl(text)?.scheme ?? "")) {
      yield given.error(
        `URL "${text}" does not start with http:// or https://`,
        "Write a URL such as https://example.com/storage.yaml",
      );
    }
  },
};

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "proxy" },
  spec: {
    containers: [{ name: "proxy", image: "registry.example.org/proxy:v2" }],
  },
} as const;

/** `KubeStaticPodConfig`. */
export const kubeStaticPod: DocumentKind = {
  kind: "KubeStaticPodConfig",
  summary: "A static pod",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the pod", "proxy"),
    pod: field(free, "Pod definition", {
      always: true,
      merge: "replace",
      example: pod,
    }),
  },
  examples: [{ value: { name: "proxy", pod } }],
  *rules(document) {
    yield* nameRules(document.get("name"));
    const given = document.get("pod");
    if (given.entries().length > 0) return;
    yield given.error('"pod" is missing', "Give the pod");
  },
};

function* nameRules(given: Cursor): Iterable<Problem> {
  const text = given.text() ?? "";
  if (text === "" || isObjectName(text)) return;
  yield given.error(
    `Name "${text}" is not valid`,
    "Use lowercase letters, digits, hyphens and dots",
  );
}
