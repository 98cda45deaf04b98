/** Versions of the software on simulated nodes. */

import { defaultRelease } from "../../dialect.ts";
import type { NodeDisk } from "./node_disk.ts";

/** What a node says about the operating system it runs. */
export interface Release {
  /** Version with leading `v`. */
  readonly tag: string;
  /** Commit it was built from, eight hexadecimal digits. */
  readonly sha: string;
  /** Compiler version. */
  readonly goVersion: string;
  /** Processor architecture: `amd64`, `arm64`. */
  readonly arch: string;
  /** Version of the kernel. */
  readonly kernel: string;
  /** Version of containerd, without `v`. */
  readonly containerd: string;
  /** Version of etcd with leading `v`. */
  readonly etcd: string;
}

/** Default release. */
export const defaultVersions: Release = {
  tag: defaultRelease,
  sha: "5f2c31d8",
  goVersion: "go1.25.9",
  arch: "amd64",
  kernel: "6.18.42",
  containerd: "2.2.5",
  etcd: "v3.6.11",
};

/** Default version of Kubernetes, without `v`. */
export const defaultKubernetes = "1.34.1";

/** What a node's release follows from. */
export interface BootedNode {
  /** Its disks; without boot entries it was started from a medium. */
  readonly disk: Pick<NodeDisk, "bootEntries">;
  /** Cluster it is part of. */
  readonly cluster: { readonly release: Release };
}

/** Release a node runs: that of the image it was booted from. */
export function runningRelease(
  { disk: { bootEntries }, cluster: { release } }: BootedNode,
): Release {
  const tag = bootEntries?.running.tag ?? release.tag;
  return tag === release.tag ? release : { ...release, tag, sha: shaOf(tag) };
}

/**
 * Minor version of the release a node runs. Returns 13 for v1.13 and its pre-releases, infinity behind
 * line 1, and 12 for what is no version.
 */
export function minorOf(node: BootedNode): number {
  const [, line, own = "12"] =
    /^v(\d+)\.(\d+)/.exec(runningRelease(node).tag) ??
      [];
  return Number(line) > 1 ? Infinity : Number(own);
}

/** Eight hexadecimal digits that follow from a version. */
function shaOf(tag: string): string {
  const hash = new TextEncoder().encode(tag).reduce(
    (sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0,
    0x811c9dc5,
  );
  return hash.toString(16).padStart(8, "0");
}
