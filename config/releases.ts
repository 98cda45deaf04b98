/** Defaults of OS releases. */

import { parseMinor } from "../lib/version.ts";
import { imageFactory, imagePrefix } from "../talos.ts";

/** Images and the Kubernetes version that a release has by default. */
export interface ReleaseDefaults {
  /** Newest known release of the minor version, with `v`. */
  readonly tag: string;
  /** Kubernetes version, without `v`. */
  readonly kubernetes: string;
  readonly installer: string;
  readonly etcd: string;
  readonly coreDns: string;
  readonly flannel: string;
  /** Pause container of a pod. */
  readonly pause: string;
  /** Network policy controller of flannel; `undefined` in older releases. */
  readonly networkPolicies: string | undefined;
}

/** Empty schematic of the image factory. */
export const plainSchematic =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/**
 * The newest release of each minor version, as of 2026-08-21.
 *
 * Source: `pkg/machinery/constants` and `pkg/images` of these releases.
 */
const newestReleases = `
v1.8.4       1.31.4      v3.5.17 v1.11.3 v0.25.7 3.10
v1.9.6       1.32.4      v3.5.21 v1.12.0 v0.26.5 3.10
v1.10.9      1.33.6      v3.5.26 v1.12.1 v0.26.7 3.10
v1.11.6      1.34.1      v3.6.5  v1.12.4 v0.27.4 3.10
v1.12.11     1.35.4      v3.6.11 v1.14.2 v0.27.4 3.10.1
v1.13.9      1.36.3      v3.6.12 v1.14.6 0.28.8  3.10.1 v1.1.0
v1.14.0-rc.1 1.37.0-rc.0 3.7.1   v1.14.6 0.28.9  3.10.2 v1.1.1
`;

/** Image of the network policy controller, without a tag. */
export const networkPoliciesImage =
  "registry.k8s.io/networking/kube-network-policies";

const known: ReadonlyMap<number, ReleaseDefaults> = new Map(
  newestReleases.trim().split("\n").map((line) => {
    const [
      tag = "",
      kubernetes = "",
      etcd = "",
      coreDns = "",
      flannel = "",
      pause = "",
      policies,
    ] = line.split(/\s+/);
    const minor = findMinor(tag);
    const etcdImage = minor < 12
      ? "gcr.io/etcd-development/etcd"
      : "registry.k8s.io/etcd";
    return [minor, {
      tag,
      kubernetes,
      installer: defaultInstaller(tag),
      etcd: `${etcdImage}:${etcd}`,
      coreDns: `registry.k8s.io/coredns/coredns:${coreDns}`,
      flannel: `${imagePrefix}/flannel:${flannel}`,
      pause: `registry.k8s.io/pause:${pause}`,
      networkPolicies: policies && `${networkPoliciesImage}:${policies}`,
    }];
  }),
);

/** Minor versions with known defaults, oldest first. */
export const knownMinors: readonly number[] = [...known.keys()];

/**
 * Default versions and images of a release: those of the newest one of its minor version, or of the nearest known one.
 *
 * @param version `v1.12`, `1.13.2`; anything else counts as the default release.
 */
export function findRelease(version: string): ReleaseDefaults {
  const [oldest = 0, newest = 0] = [knownMinors[0], knownMinors.at(-1)];
  const minor = Math.min(Math.max(findMinor(version), oldest), newest);
  return known.get(minor)!; // between the bounds
}

/** Minor version; infinity after 1.x, and that of the default release for anything else. */
function findMinor(version: string): number {
  const { major, minor } = parseMinor(version) ?? { major: 1, minor: 12 };
  return major > 1 ? Infinity : minor;
}

/** True if the installer without extensions is published by the image factory alone: since v1.14. */
export function isFactoryOnly(version: string): boolean {
  return findMinor(version) >= 14;
}

/** Installer without extensions of a release, `v1.13.9`. */
export function defaultInstaller(tag: string): string {
  return isFactoryOnly(tag)
    ? `${imageFactory}/metal-installer/${plainSchematic}:${tag}`
    : `${imagePrefix}/installer:${tag}`;
}
