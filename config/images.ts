/** Container images of nodes, and image references. */

import { defaultRelease, imageFactory, imagePrefix } from "../talos.ts";

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
  etcd: "registry.k8s.io/etcd:v3.6.11",
  /** Cluster DNS server, with its tag. */
  coreDns: "registry.k8s.io/coredns/coredns:v1.14.2",
  /** Pod network, with its tag. */
  flannel: `${imagePrefix}/flannel:v0.27.4`,
  /** Pause container of a pod, with its tag. */
  pause: "registry.k8s.io/pause:3.10.1",
  /** Default installer of a release, with its tag. */
  installer: `${imagePrefix}/installer:${defaultRelease}`,
} as const;

/** Empty schematic of the image factory. */
export const plainSchematic =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** Defaults of configurations, by OS version where they differ from the usual ones. */
export const releases = {
  "1.13": { kubernetes: "1.36.3", installer: formatInstaller("v1.13.9") },
  "1.14": {
    kubernetes: "1.37.0-rc.0",
    // Since then the default is from the image factory, without extensions.
    installer: `${imageFactory}/metal-installer/${plainSchematic}:v1.14.0-rc.1`,
  },
} as const;

function formatInstaller(release: string): string {
  return `${imagePrefix}/installer:${release}`;
}

/**
 * Default versions and images of configurations.
 *
 * @param version OS version, `MAJOR.MINOR`.
 * @returns Kubernetes version without `v`, and installer image.
 */
export function findRelease(
  version: string,
): { readonly kubernetes: string; readonly installer: string } {
  const known: Readonly<Record<string, (typeof releases)["1.13" | "1.14"]>> =
    releases;
  return known[version] ??
    { kubernetes: defaultKubernetes, installer: defaultImages.installer };
}

/**
 * Default images of a cluster, in the order of talosctl.
 *
 * @param kubernetes Kubernetes version, without `v`.
 */
export function clusterImages(
  kubernetes: string = defaultKubernetes,
): readonly string[] {
  const { flannel, coreDns, etcd, pause } = defaultImages;
  const { apiServer, controllerManager, scheduler, proxy, kubelet } =
    defaultImages;
  const versioned = [apiServer, controllerManager, scheduler, proxy, kubelet];
  return [
    flannel,
    coreDns,
    etcd,
    ...versioned.map((image) => `${image}:v${kubernetes}`),
    pause,
  ];
}

/**
 * Images of an OS release, in the order of talosctl.
 *
 * @param release Version with `v`.
 */
export function releaseImages(release: string): readonly string[] {
  return [
    "installer",
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
 * @param reference `nginx`, `quay.io/a/b:v1`, `a/b@sha256:…`.
 */
export function fullImageName(reference: string): string {
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
