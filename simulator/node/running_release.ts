/** Which release of the operating system a node runs. */

import type { NodeDisk } from "./node_disk.ts";
import type { Release } from "./release.ts";

/** What a node's release follows from. */
export interface Booted {
  /** Its disks; without boot entries it was started from a medium. */
  readonly disk: Pick<NodeDisk, "bootEntries">;
  /** Cluster it is part of. */
  readonly cluster: { readonly release: Release };
}

/** Release a node runs: that of the image it was booted from. */
export function runningRelease(
  { disk: { bootEntries }, cluster: { release } }: Booted,
): Release {
  const tag = bootEntries?.running.tag ?? release.tag;
  return tag === release.tag ? release : { ...release, tag, sha: shaOf(tag) };
}

/**
 * Minor version of the release a node runs.
 *
 * @returns 13 for v1.13 and its pre-releases, infinity behind line 1, and 12 for what is no version.
 */
export function minorOf(node: Booted): number {
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
