/** Kubernetes versions supported by an OS version. */

import { parseMinor, parseVersion } from "../lib/version.ts";

/** Oldest and newest minor version of Kubernetes 1 by minor version of the OS, as published by the vendor. */
const ranges: ReadonlyMap<number, readonly [oldest: number, newest: number]> =
  new Map([
    [2, [23, 25]],
    [3, [24, 26]],
    [4, [25, 27]],
    [5, [26, 28]],
    [6, [24, 29]],
    [7, [25, 30]],
    [8, [26, 31]],
    [9, [27, 32]],
    [10, [28, 33]],
    [11, [29, 34]],
    [12, [30, 35]],
    [13, [31, 36]],
    [14, [32, 37]],
    [15, [33, 38]],
  ]);

interface KubernetesRange {
  /** Oldest minor version of Kubernetes 1. */
  readonly oldest: number;
  /** Newest minor version of Kubernetes 1. */
  readonly newest: number;
}

/**
 * Looks up the supported Kubernetes versions.
 *
 * @param system OS version: `v1.13.2`, `1.13`.
 * @returns `undefined` for unknown versions.
 */
export function kubernetesRange(system: string): KubernetesRange | undefined {
  const version = parseMinor(system);
  const range = version?.major === 1 ? ranges.get(version.minor) : undefined;
  return range && { oldest: range[0], newest: range[1] };
}

/**
 * Reports an unsupported combination of Kubernetes and OS versions.
 *
 * @param kubernetes Running Kubernetes version: `v1.34.1`.
 * @param system Target OS version.
 * @returns `undefined` when it is supported, or one of them is unknown.
 */
export function kubernetesProblem(
  kubernetes: string,
  system: string,
): string | undefined {
  const running = parseVersion(kubernetes);
  const range = kubernetesRange(system);
  if (running === undefined || range === undefined) return undefined;
  const { oldest, newest } = range;
  const isOld = running.major < 1 ||
    running.major === 1 && running.minor < oldest;
  const isNew = running.major > 1 ||
    running.major === 1 && running.minor > newest;
  if (!isOld && !isNew) return undefined;
  return `Kubernetes ${kubernetes} is too ${
    isOld ? "old" : "new"
  } for ${system}, which supports v1.${oldest} to v1.${newest}`;
}
