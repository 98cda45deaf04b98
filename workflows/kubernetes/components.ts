/** Kubernetes components on nodes, and their images in configurations. */

import { withV } from "../../lib/version.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { findText } from "../../config/documents/find_value.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import { defaultImages } from "../../config/images.ts";
import { imagePlaces } from "../../config/kubernetes_fit.ts";
import { toTree } from "../../config/tree/node.ts";
import { domain } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  readFields,
  unlessHidden,
} from "../../transport/node/read_resource.ts";
import { isoTime } from "../../transport/node/timestamp.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";
import { withValue } from "../../config/tree/with_value.ts";

/** Components in upgrade order. */
export const componentNames = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
  "kubelet",
] as const;

/** Name of a component. */
export type ComponentName = typeof componentNames[number];

/** Components that control planes run as static pods. */
export const staticPodNames = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
] as const satisfies readonly ComponentName[];

interface ComponentFacts {
  /** Resource with the rendered configuration, and its namespace; none for a DaemonSet. */
  readonly resource?: readonly [namespace: string, type: string];
  /** Default image without a tag. */
  readonly image: string;
}

const components: Readonly<Record<ComponentName, ComponentFacts>> = {
  "kube-apiserver": {
    resource: ["controlplane", "APIServerConfigs"],
    image: defaultImages.apiServer,
  },
  "kube-controller-manager": {
    resource: ["controlplane", "ControllerManagerConfigs"],
    image: defaultImages.controllerManager,
  },
  "kube-scheduler": {
    resource: ["controlplane", "SchedulerConfigs"],
    image: defaultImages.scheduler,
  },
  "kube-proxy": { image: defaultImages.proxy },
  kubelet: { resource: ["k8s", "KubeletSpecs"], image: defaultImages.kubelet },
};

/** Value that keeps the current registry and path of an image. */
export const keep = "keep";

/**
 * Image of a component at another version.
 *
 * @param before Current image; empty if none is set.
 * @param repository Registry and path without a tag; `keep` for those of the current image.
 * @param version Kubernetes version, with or without `v`.
 */
export function targetImage(
  component: ComponentName,
  before: string,
  { repository, version }: {
    readonly repository: string;
    readonly version: string;
  },
): string {
  const old = splitImage(before);
  const base = repository === keep
    ? old.repository || components[component].image
    : repository;
  // Kubelet images have variants.
  const [variant = ""] = /-(?:fat|slim)$/.exec(old.tag) ?? [];
  return `${base}:${withV(version)}${variant}`;
}

/** Registry and path of an image, and its tag; drops a digest. */
function splitImage(
  reference: string,
): { readonly repository: string; readonly tag: string } {
  const [named = ""] = reference.split("@");
  // A registry may have a port.
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return colon < 0
    ? { repository: named, tag: "" }
    : { repository: named.slice(0, colon), tag: named.slice(colon + 1) };
}

/** Registry and path of an image, without tag and digest. */
export function imageRepository(reference: string): string {
  return splitImage(reference).repository;
}

/** Version in the tag of an image, with `v` and without a variant; empty if there is none. */
export function imageVersion(reference: string): string {
  const [version = ""] = /^v\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?/.exec(
    splitImage(reference).tag,
  ) ?? [];
  return version;
}

/** Configured image of a component; empty if none is set. */
export function configuredImage(
  documents: readonly ConfigDocument[],
  component: ComponentName,
): string {
  const { kind, section } = imagePlaces[component];
  const main = [mainKind, ...section, "image"] as const;
  return findText(documents, [kind, "image"], main) ?? "";
}

/**
 * Sets the image of a component; keeps everything else, including comments.
 *
 * @param text Configuration of a node, YAML.
 * @returns The text unchanged when it already has that image.
 * @throws {ConfigError} If the configuration has no field for it.
 */
export function withImage(
  text: string,
  component: ComponentName,
  image: string,
): string {
  const { documents } = loadDocuments(text, "the node's configuration");
  if (configuredImage(documents, component) === image) return text;
  const { kind, section } = imagePlaces[component];
  const own = documents.find((document) => document.kind === kind);
  const changed = own ?? documents.find(({ kind }) => kind === mainKind);
  if (changed === undefined) {
    throw new ConfigError("The node's configuration has no main document");
  }
  const path = own === undefined
    ? [...section, "image"] as const
    : ["image"] as const;
  const root = withValue(changed.root, path, toTree(image));
  return encodeDocuments(
    documents.map((one) => one === changed ? { ...one, root } : one),
  );
}

/** State of a component rendered from the configuration. */
interface ComponentState {
  readonly image: string;
  /** Version of the resource; its pods are annotated with it. */
  readonly resourceVersion: string;
  /** Last change, in milliseconds since 1970; 0 if the node does not report it. */
  readonly changedAt: number;
}

/** Timeout for each request, in milliseconds. */
const deadlineMs = 10_000;

/**
 * Reads the state of a component.
 *
 * @returns `undefined` for kube-proxy, and when the node has no such resource or does not show it.
 */
export async function readComponent(
  { state }: Pick<NodeClient, "state">,
  component: ComponentName,
): Promise<ComponentState | undefined> {
  const { resource: place } = components[component];
  if (place === undefined) return undefined;
  const [namespace, type] = place;
  const answer = await unlessHidden(
    state.get({
      namespace,
      type: `${type}.kubernetes.${domain}`,
      id: component,
      options: {},
    }, { deadlineMs }),
  );
  if (answer?.resource === undefined) return undefined;
  const { metadata, spec } = answer.resource;
  const { image } = readFields(parseSpec(spec?.yamlSpec ?? ""));
  return {
    image: typeof image === "string" ? image : "",
    resourceVersion: metadata?.version ?? "",
    changedAt: Date.parse(isoTime(metadata?.updated)) || 0,
  };
}

/** Current image of a component: the configured one, otherwise the running one; empty if neither is known. */
export async function currentImage(
  client: Pick<NodeClient, "state">,
  documents: readonly ConfigDocument[],
  component: ComponentName,
): Promise<string> {
  return configuredImage(documents, component) ||
    (await readComponent(client, component))?.image || "";
}
