/** Container images that nodes run, and references to images. */

import { defaultRelease, imageFactory, imagePrefix } from "../talos.ts";

/** Kubernetes, without `v`. */
export const defaultKubernetes = "1.34.1";

/** Images by what runs in them; those of Kubernetes take `:v` and its version. */
export const defaultImages = {
  kubelet: `${imagePrefix}/kubelet`,
  apiServer: "registry.k8s.io/kube-apiserver",
  /** Controller manager, without a tag. */
  controllerManager: "registry.k8s.io/kube-controller-manager",
  scheduler: "registry.k8s.io/kube-scheduler",
  proxy: "registry.k8s.io/kube-proxy",
  etcd: "registry.k8s.io/etcd:v3.6.11",
  /** DNS server of the cluster, with its tag. */
  coreDns: "registry.k8s.io/coredns/coredns:v1.14.2",
  /** Network of the pods, with its tag. */
  flannel: `${imagePrefix}/flannel:v0.27.4`,
  /** What holds the namespaces of a pod, with its tag. */
  pause: "registry.k8s.io/pause:3.10.1",
  /** Installer of the release a configuration is for when none is given, with its tag. */
  installer: `${imagePrefix}/installer:${defaultRelease}`,
} as const;

/** Schematic of the image factory that adds nothing. */
export const plainSchematic =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** What configurations name by default, by the version they are for where it is not the usual one. */
export const releases = {
  "1.13": { kubernetes: "1.36.3", installer: formatInstaller("v1.13.9") },
  "1.14": {
    kubernetes: "1.37.0-rc.0",
    // Since then the default is the image factory's, without extensions.
    installer: `${imageFactory}/metal-installer/${plainSchematic}:v1.14.0-rc.1`,
  },
} as const;

function formatInstaller(release: string): string {
  return `${imagePrefix}/installer:${release}`;
}

/**
 * What configurations name by default.
 *
 * @param version Version of the operating system, `MAJOR.MINOR`.
 * @returns Version of Kubernetes without `v`, and image of the installer.
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
 * Images a cluster runs when its configurations name no others, in the order talosctl lists them.
 *
 * @param kubernetes Version of Kubernetes, without `v`.
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
 * Images a release of the operating system is published as, in the order talosctl lists them.
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
 * Writes the name of an image in full, as container runtimes list it.
 *
 * Source: the rules of the Docker distribution reference: the first part is a registry when it has a dot or
 * a colon or is `localhost`; images of the usual registry without a folder are in `library`; the usual tag is `latest`.
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
