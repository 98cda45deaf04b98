import { kubernetesRange } from "../../config/kubernetes_range.ts";
import { osVersionIn } from "../../config/change/version_support.ts";
import {
  type ConfigDocument,
  type DocumentProblem,
  loadDocuments,
  type Loaded,
} from "../../config/documents/load.ts";
import { isKnown } from "../../config/documents/requirements.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { validateDocuments } from "../../config/validate.ts";
import { runtimeName } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";
import { mainIn } from "../state/node_configuration.ts";
import { behaves, runningRelease } from "../release/release.ts";

/** Result of checking a configuration: its documents with warnings, or the reason it is invalid or not allowed. */
type Acceptance =
  | {
    readonly verdict: "accepted";
    readonly documents: readonly ConfigDocument[];
    readonly warnings: readonly string[];
  }
  | { readonly verdict: "unreadable"; readonly why: string }
  | { readonly verdict: "invalid"; readonly why: string };

/** Parses and validates a configuration. */
export function acceptConfiguration(
  node: SimulatedNode,
  text: string,
): Acceptance {
  const osVersion = osVersionIn(runningRelease(node).tag) ?? "1.12";
  const loaded = load(text, osVersion);
  if (typeof loaded === "string") return { verdict: "unreadable", why: loaded };
  const unread = loaded.problems.filter(isError).map(problemText);
  if (unread.length > 0) {
    return { verdict: "unreadable", why: unread.join("\n") };
  }
  const problems = validateDocuments(loaded, { mode: "metal", osVersion });
  const { documents } = loaded;
  const errors = [
    ...problems.filter(isError).map(problemText),
    ...unsupportedImages(node, documents),
  ];
  if (errors.length > 0) return { verdict: "invalid", why: formatList(errors) };
  return {
    verdict: "accepted",
    documents,
    warnings: problems.map(problemText),
  };
}

function load(text: string, version: OsVersion): Loaded | string {
  try {
    const loaded = loadDocuments(text, "config.yaml");
    if (loaded.documents.length === 0) return "config not found";
    const foreign = loaded.documents.find(({ schema }) =>
      schema === undefined || !isKnown(schema, version)
    );
    if (foreign === undefined) return loaded;
    const { apiVersion, kind, root } = foreign;
    return `error decoding document ${apiVersion}/${kind}/ (line ${root.at?.line}): "${kind}" "${apiVersion}": not registered`;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** Images of Kubernetes versions that the node does not support. */
function unsupportedImages(
  node: SimulatedNode,
  documents: readonly ConfigDocument[],
): readonly string[] {
  const { tag } = runningRelease(node);
  const range = kubernetesRange(tag);
  if (!behaves(node, "checksKubernetes") || range === undefined) return [];
  const { oldest, newest } = range;
  const main = mainIn(documents);
  return kubernetesImages.flatMap(([name, ...place]) => {
    const [, version, minor] = /:v(1\.(\d+)\.\S+)$/.exec(
      main.get(...place).text() ?? "",
    ) ?? [];
    const own = Number(minor);
    if (version === undefined || own >= oldest && own <= newest) return [];
    const why = own < oldest ? "old" : "new";
    return [
      `${name} image is not valid: version of Kubernetes ${version} is too ${why} to be used with ${runtimeName} ${
        tag.slice(1)
      }`,
    ];
  });
}

/** Component names, and the paths of their images in the main document. */
const kubernetesImages = [
  ["kubelet", "machine", "kubelet", "image"],
  ["kube-apiserver", "cluster", "apiServer", "image"],
  ["kube-controller-manager", "cluster", "controllerManager", "image"],
  ["kube-scheduler", "cluster", "scheduler", "image"],
] as const;

function isError({ level }: DocumentProblem): boolean {
  return level === "error";
}

function problemText({ identity, path, message, at }: DocumentProblem): string {
  const line = at === undefined ? "" : `line ${at.line}: `;
  return `${line}${identity}: ${path}: ${message}`;
}

function formatList(errors: readonly string[]): string {
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  return `${count} occurred:\n${
    errors.map((error) => `\t* ${error}\n`).join("")
  }\n`;
}
