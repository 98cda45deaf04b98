/** Default images of each OS release. */

import { parseVersion, withV } from "../../lib/version.ts";
import { defaultImages, defaultKubernetes } from "../../config/images.ts";
import { defaultRelease, imagePrefix } from "../../talos.ts";

/** Default images of a release. */
export interface BundledImages {
  readonly release: string;
  /** Release the data is of: the latest known one of that minor version. */
  readonly known: string;
  /** Kubernetes, without `v`. */
  readonly kubernetes: string;
  readonly etcd: string;
  readonly coreDns: string;
  readonly flannel: string;
  /** Pause image with its tag. */
  readonly pause: string;
  /** Image of the flannel network policy controller with its tag; absent in older releases. */
  readonly networkPolicies?: string;
}

const oldEtcd = "gcr.io/etcd-development/etcd";
const etcd = "registry.k8s.io/etcd";
const coreDns = "registry.k8s.io/coredns/coredns";
const flannel = `${imagePrefix}/flannel`;
const pause = "registry.k8s.io/pause";
const policies = "registry.k8s.io/networking/kube-network-policies";

/** Source: constants and image lists of the last release of each minor version. */
const bundles: ReadonlyMap<number, Omit<BundledImages, "release">> = new Map([
  [8, {
    known: "v1.8.4",
    kubernetes: "1.31.4",
    etcd: `${oldEtcd}:v3.5.17`,
    coreDns: `${coreDns}:v1.11.3`,
    flannel: `${flannel}:v0.25.7`,
    pause: `${pause}:3.10`,
  }],
  [9, {
    known: "v1.9.6",
    kubernetes: "1.32.4",
    etcd: `${oldEtcd}:v3.5.21`,
    coreDns: `${coreDns}:v1.12.0`,
    flannel: `${flannel}:v0.26.5`,
    pause: `${pause}:3.10`,
  }],
  [10, {
    known: "v1.10.9",
    kubernetes: "1.33.6",
    etcd: `${oldEtcd}:v3.5.26`,
    coreDns: `${coreDns}:v1.12.1`,
    flannel: `${flannel}:v0.26.7`,
    pause: `${pause}:3.10`,
  }],
  [11, {
    known: "v1.11.6",
    kubernetes: "1.34.1",
    etcd: `${oldEtcd}:v3.6.5`,
    coreDns: `${coreDns}:v1.12.4`,
    flannel: `${flannel}:v0.27.4`,
    pause: `${pause}:3.10`,
  }],
  [12, {
    known: defaultRelease,
    kubernetes: defaultKubernetes,
    etcd: defaultImages.etcd,
    coreDns: defaultImages.coreDns,
    flannel: defaultImages.flannel,
    pause: defaultImages.pause,
  }],
  [13, {
    known: "v1.13.9",
    kubernetes: "1.36.3",
    etcd: `${etcd}:v3.6.12`,
    coreDns: `${coreDns}:v1.14.6`,
    flannel: `${flannel}:0.28.8`,
    pause: `${pause}:3.10.1`,
    networkPolicies: `${policies}:v1.1.0`,
  }],
  [14, {
    known: "v1.14.0-rc.1",
    kubernetes: "1.37.0-rc.0",
    etcd: `${etcd}:3.7.1`,
    coreDns: `${coreDns}:v1.14.6`,
    flannel: `${flannel}:0.28.9`,
    pause: `${pause}:3.10.2`,
    networkPolicies: `${policies}:v1.1.1`,
  }],
]);

/**
 * Finds the default images of a release.
 *
 * @param release Version with or without `v`; anything else counts as the release of this client.
 * @returns Images of the latest known release of its minor version, or of the nearest minor version.
 */
export function bundledImages(release: string): BundledImages {
  const version = parseVersion(release) ?? parseVersion(defaultRelease)!; // a version
  const minors = [...bundles.keys()];
  const minor = Math.min(
    Math.max(version.minor, Math.min(...minors)),
    Math.max(...minors),
  );
  const bundle = bundles.get(minor)!; // between the bounds
  return { ...bundle, release: withV(release) };
}
