import { parseMinor } from "../../lib/version.ts";
import { defaultRelease } from "../../talos.ts";
import type { BootEntries } from "./boot_entries.ts";
import {
  behaviorVersions,
  includes,
  type MinorRelease,
  minorReleases,
} from "./version_facts.ts";

/** What a node says about the operating system it runs. */
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

const minors = Object.keys(minorReleases).map(Number);
const [oldest, newest] = [Math.min(...minors), Math.max(...minors)];

/** Default release. */
export const defaultVersions: Release = releaseFor(defaultRelease);

/** Default version of Kubernetes, without `v`. */
const defaultKubernetes = "1.34.1";

/**
 * The default version of Kubernetes on a release, without `v`: that of every release that supports it, else the one
 * the release installs by itself.
 *
 * @param tag Version of the operating system with leading `v`.
 */
export function kubernetesFor(tag: string): string {
  const { kubernetes, kubernetesRange: [oldest, newest] } = parseMinorRelease(
    tag,
  );
  const minor = Number(defaultKubernetes.split(".")[1]);
  return minor >= oldest && minor <= newest ? defaultKubernetes : kubernetes;
}

/** What a release brings. `tag`: its version with leading `v`; of versions that are not known, the nearest counts. */
export function releaseFor(tag: string): Release {
  const { kernel, containerd, etcd, goVersion } = parseMinorRelease(tag);
  const sha = formatSha(tag);
  return { tag, sha, goVersion, arch: "amd64", kernel, containerd, etcd };
}

/** What the minor version of a release brings; of versions that are not known, the nearest counts. */
export function parseMinorRelease(tag: string): MinorRelease {
  const minor = Math.min(Math.max(minorIn(tag), oldest), newest);
  // Every minor version between them is there.
  return minorReleases[minor]!;
}

/**
 * Finds the release that simulated nodes can play.
 *
 * @param text `v1.9` for the last release of a minor version, or a release such as `v1.9.3`; the `v` may be left out.
 * @returns Version with leading `v`; `undefined` when it is not a version, or nodes cannot play it.
 */
export function playedRelease(text: string): string | undefined {
  const [, minor, patch] =
    /^v?1\.(\d+)(\.\d+(?:-[0-9A-Za-z.-]+)?)?$/.exec(text) ??
      [];
  const last = minorReleases[Number(minor)]?.tag;
  return patch === undefined ? last : last && `v1.${Number(minor)}${patch}`;
}

interface BootedNode {
  /** Its disks; without boot entries it was started from a medium. */
  readonly disk: { readonly bootEntries: BootEntries | undefined };
  readonly cluster: { readonly release: Release };
}

/** Release a node runs: that of the image it was booted from. */
export function runningRelease(node: BootedNode): Release {
  const { release } = node.cluster;
  const tag = runningTag(node);
  return tag === release.tag
    ? release
    : { ...releaseFor(tag), arch: release.arch };
}

/**
 * Minor version of the release a node runs. Returns 13 for v1.13 and its pre-releases, infinity behind
 * line 1, and 12 for what is no version.
 */
export function findMinor(node: BootedNode): number {
  return minorIn(runningTag(node));
}

/** Version with leading `v` of the release a node runs. */
export function runningTag(
  { disk: { bootEntries }, cluster: { release } }: BootedNode,
): string {
  return bootEntries?.running.tag ?? release.tag;
}

/** Whether a node does something that not all versions do. */
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

/** Eight hexadecimal digits that follow from a version. */
function formatSha(tag: string): string {
  const hash = new TextEncoder().encode(tag).reduce(
    (sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0,
    0x811c9dc5,
  );
  return hash.toString(16).padStart(8, "0");
}
