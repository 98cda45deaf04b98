import { defaultKubernetes } from "../../config/images.ts";
import { kubernetesProblem } from "../../config/kubernetes_range.ts";
import { findRelease, knownMinors } from "../../config/releases.ts";
import { parseMinor } from "../../lib/version.ts";
import { defaultRelease } from "../../talos.ts";
import type { BootEntries } from "./boot_entries.ts";
import { behaviorVersions, buildFacts, includes } from "./version_facts.ts";

/** Release of the operating system, as reported by a node. */
export interface Release {
  /** Version with leading `v`. */
  readonly tag: string;
  /** Commit it was built from, eight hexadecimal digits. */
  readonly sha: string;
  readonly goVersion: string;
  /** Processor architecture: `amd64`, `arm64`. */
  readonly arch: string;
  readonly kernel: string;
  /** Version of containerd, without `v`. */
  readonly containerd: string;
  /** Version of etcd with leading `v`. */
  readonly etcd: string;
}

/** Default release. */
export const defaultVersions: Release = releaseFor(defaultRelease);

/**
 * Default Kubernetes version of a release, without `v`: the common default if the release supports it, otherwise the one
 * that the release installs.
 *
 * @param tag Version of the operating system with leading `v`.
 */
export function kubernetesFor(tag: string): string {
  return kubernetesProblem(defaultKubernetes, tag) === undefined
    ? defaultKubernetes
    : findRelease(tag).kubernetes;
}

/** Finds the facts of a release. `tag`: version with leading `v`; an unknown version gets those of the nearest known one. */
export function releaseFor(tag: string): Release {
  const known = findRelease(tag);
  // Both tables have every minor version.
  const facts = buildFacts[minorIn(known.tag)]!;
  const [, etcd = ""] = /:v?([^:]+)$/.exec(known.etcd) ?? [];
  const sha = formatSha(tag);
  return { tag, sha, arch: "amd64", etcd: `v${etcd}`, ...facts };
}

/**
 * Finds a release that can be simulated.
 *
 * @param text `v1.9` for the last release of a minor version, or a release such as `v1.9.3`; the `v` is optional.
 * @returns Version with leading `v`; `undefined` if it is not a version or cannot be simulated.
 */
export function playedRelease(text: string): string | undefined {
  const [, minor, patch] =
    /^v?1\.(\d+)(\.\d+(?:-[0-9A-Za-z.-]+)?)?$/.exec(text) ??
      [];
  if (!knownMinors.includes(Number(minor))) return undefined;
  const version = `v1.${Number(minor)}`;
  return patch === undefined ? findRelease(version).tag : version + patch;
}

interface BootedNode {
  /** Its disks; without boot entries it was booted from installation media. */
  readonly disk: { readonly bootEntries: BootEntries | undefined };
  readonly cluster: { readonly release: Release };
}

/** Running release of a node: that of its booted image. */
export function runningRelease(node: BootedNode): Release {
  const { release } = node.cluster;
  const tag = runningTag(node);
  return tag === release.tag
    ? release
    : { ...releaseFor(tag), arch: release.arch };
}

/**
 * Minor version of a node's running release. Returns 13 for v1.13 and its pre-releases, infinity after
 * 1.x, and 12 if it is not a version.
 */
export function findMinor(node: BootedNode): number {
  return minorIn(runningTag(node));
}

/** Running version of a node, with leading `v`. */
export function runningTag(
  { disk: { bootEntries }, cluster: { release } }: BootedNode,
): string {
  return bootEntries?.running.tag ?? release.tag;
}

/** True if a node's version has a behavior. */
export function behaves(
  node: BootedNode,
  behavior: keyof typeof behaviorVersions,
): boolean {
  return includes(behaviorVersions[behavior], findMinor(node));
}

function minorIn(tag: string): number {
  const { major, minor } = parseMinor(tag) ?? { major: 1, minor: 12 };
  return major > 1 ? Infinity : minor;
}

/** Hash of a version: eight hexadecimal digits. */
function formatSha(tag: string): string {
  const hash = new TextEncoder().encode(tag).reduce(
    (sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0,
    0x811c9dc5,
  );
  return hash.toString(16).padStart(8, "0");
}
