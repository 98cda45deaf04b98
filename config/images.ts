/** Container images of nodes, and image references. */

import { defaultRelease, imagePrefix } from "../talos.ts";
import {
  findRelease,
  isFactoryOnly,
  networkPoliciesImage,
} from "./releases.ts";

const { installer, etcd, coreDns, flannel, pause } = findRelease(
  defaultRelease,
);

/** Default Kubernetes version, without `v`. */
export const defaultKubernetes = "1.34.1";

/** Images by component; those of Kubernetes need `:v` and the version. */
export const defaultImages = {
  kubelet: `${imagePrefix}/kubelet`,
  apiServer: "registry.k8s.io/kube-apiserver",
  /** Controller manager, without a tag. */
  controllerManager: "registry.k8s.io/kube-controller-manager",
  scheduler: "registry.k8s.io/kube-scheduler",
  proxy: "registry.k8s.io/kube-proxy",
  etcd,
  /** Cluster DNS server, with its tag. */
  coreDns,
  /** Pod network, with its tag. */
  flannel,
  /** Pause container of a pod, with its tag. */
  pause,
  installer,
} as const;

/** Image tags that replace defaults, by component; `undefined` keeps the default. */
interface ImageTags {
  readonly etcd?: string | undefined;
  readonly flannel?: string | undefined;
  readonly coreDns?: string | undefined;
  readonly networkPolicies?: string | undefined;
}

/**
 * Default images of a cluster, in the order of talosctl.
 *
 * @param kubernetes Kubernetes version, without `v`.
 * @param release Release whose defaults the other images are.
 */
export function clusterImages(
  kubernetes: string = defaultKubernetes,
  release: string = defaultRelease,
  tags: ImageTags = {},
): readonly string[] {
  const { flannel, coreDns, etcd, pause, networkPolicies } = findRelease(
    release,
  );
  const { apiServer, controllerManager, scheduler, proxy, kubelet } =
    defaultImages;
  const versioned = [apiServer, controllerManager, scheduler, proxy, kubelet];
  const policies = tags.networkPolicies === undefined
    ? networkPolicies
    : `${networkPoliciesImage}:${tags.networkPolicies}`;
  return [
    withTag(flannel, tags.flannel),
    withTag(coreDns, tags.coreDns),
    withTag(etcd, tags.etcd),
    ...versioned.map((image) => `${image}:v${kubernetes}`),
    pause,
    ...policies === undefined ? [] : [policies],
  ];
}

function withTag(image: string, tag: string | undefined): string {
  return tag === undefined ? image : image.replace(/[^:]+$/, tag);
}

/**
 * Images of an OS release, in the order of talosctl.
 *
 * @param release Version with `v`.
 */
export function releaseImages(release: string): readonly string[] {
  return [
    ...isFactoryOnly(release) ? [] : ["installer"],
    "installer-base",
    "imager",
    "talos",
    "talosctl-all",
    "overlays",
    "extensions",
  ].map((name) => `${imagePrefix}/${name}:${release}`);
}

const usualRegistry = "docker.io";

/**
 * Expands the name of an image, as container runtimes list it.
 *
 * Source: the Docker distribution reference: the first part is a registry if it has a dot or a colon or is `localhost`;
 * images of the default registry without a folder are in `library`; the default tag is `latest`.
 *
 * @param reference `nginx`, `quay.io/a/b:v1`, `a/b@sha256:…`; an ID is its own name.
 */
export function fullImageName(reference: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(reference)) return reference;
  const at = reference.indexOf("@");
  const digest = at < 0 ? "" : reference.slice(at);
  const named = at < 0 ? reference : reference.slice(0, at);
  const slash = named.indexOf("/");
  const first = slash < 0 ? "" : named.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === "localhost";
  const registry = hasRegistry ? first : usualRegistry;
  const path = hasRegistry ? named.slice(slash + 1) : named;
  const folder = registry === usualRegistry && !path.includes("/")
    ? "library/"
    : "";
  const tag = digest === "" && !path.includes(":") ? ":latest" : "";
  return `${registry}/${folder}${path}${tag}${digest}`;
}
