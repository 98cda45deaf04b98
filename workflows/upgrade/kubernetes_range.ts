/** Which versions of Kubernetes a version of the operating system supports. */

import { parseVersion } from "../../lib/version.ts";

/** Oldest and newest minor version of Kubernetes 1 by minor version of the system 1, as its makers publish them. */
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
 * Looks up which versions of Kubernetes are supported.
 *
 * @param system Version of the operating system: `v1.13.2`.
 * @returns `undefined` for versions that are not known here.
 */
export function kubernetesRange(system: string): KubernetesRange | undefined {
  const version = parseVersion(system);
  const range = version?.major === 1 ? ranges.get(version.minor) : undefined;
  return range && { oldest: range[0], newest: range[1] };
}

/**
 * Reports what is wrong with running Kubernetes on a version of the operating system.
 *
 * @param kubernetes Version of Kubernetes that runs: `v1.34.1`.
 * @param system Version of the operating system that is wanted.
 * @returns `undefined` when nothing is, or nothing is known of one of them.
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
