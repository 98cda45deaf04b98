/** Common volume settings besides provisioning: mounting, trimming and scrubbing. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative, parseNanoseconds } from "../scalars/duration.ts";
import { documentKind, fieldTable } from "../table.ts";

/** Key `xfs` of `filesystem`. */
export const xfs = fieldTable`
xfs                      | struct, optional, since 1.14 | XFS settings
  minAllocationGroupSize | byteSize | Minimum size of an allocation group | "128GiB"
`;

/** Keys `trim` and `scrub` of volumes. */
export const maintenance = fieldTable`
trim       | struct, optional, since 1.14 | File system trim (fstrim) of the volume
  enabled  | boolean, optional, default true with FilesystemTrimConfig | Enables trimming of the volume
  interval | duration, default that of FilesystemTrimConfig | Interval between trims | "168h0m0s"
scrub      | struct, optional, since 1.14 | File system scrub of the volume
  enabled  | boolean, optional, default true | Enables scrubbing of the volume
  interval | duration, default that of FilesystemScrubConfig | Interval between scrubs, at least 10s
    = "168h0m0s"
`;

/** Checks the keys `trim` and `scrub`. */
export function* maintenanceRules(document: Cursor): Iterable<Problem> {
  yield* notNegative(document.get("trim", "interval"), "168h");
  yield* scrubRules(document.get("scrub", "interval"));
}

function* scrubRules(interval: Cursor): Iterable<Problem> {
  const time = parseNanoseconds(interval.text() ?? "") ?? 0n;
  if (time !== 0n && time < 10_000_000_000n) {
    yield interval.error(
      `Interval "${interval.text()}" is shorter than 10s`,
      "Give an interval such as 168h",
    );
  }
}

export const filesystemTrim = documentKind((document) =>
  notNegative(document.get("interval"), "168h")
)`
FilesystemTrimConfig | since 1.14 | Periodic file system trim (fstrim) of all volumes
  = {"interval": "168h0m0s"}
  interval | duration | Interval between trims | "168h0m0s"
`;

export const filesystemScrub = documentKind((document) =>
  scrubRules(document.get("interval"))
)`
FilesystemScrubConfig | since 1.14 | Periodic file system scrub of all volumes
  = {"interval": "168h0m0s"}
  interval | duration, default 168h0m0s | Interval between scrubs | "168h0m0s"
`;
