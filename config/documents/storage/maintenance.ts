/** What volumes share beside their place: how they are mounted, trimmed and checked. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf, notNegative } from "../scalars/duration.ts";
import { byteSize, duration } from "../scalars/scalars.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field, flag, struct } from "../shapes.ts";

/** Key `disableAccessTime` of `mount`. */
export const disableAccessTime: Field = flag(
  "Disables access time updates",
);

/** Key `secure` of `mount`. */
export const secure: Field = flag(
  "Mounts with nosuid, nodev and noexec",
  "true",
);

/** Key `xfs` of `filesystem`. */
export const xfs: Field = field(
  struct({
    minAllocationGroupSize: field(
      byteSize,
      "Minimum size of an allocation group",
      {
        example: "128GiB",
      },
    ),
  }),
  "XFS settings",
  { optional: true, since: "1.14" },
);

const trimInterval = field(duration, "Interval between trims", {
  initial: "that of FilesystemTrimConfig",
  example: "168h0m0s",
});

/** Keys `trim` and `scrub` of volumes. */
export const maintenance: Readonly<Record<"trim" | "scrub", Field>> = {
  trim: field(
    struct({
      enabled: field(
        flag("").shape,
        "Enables trimming of the volume",
        {
          optional: true,
          initial: "true with FilesystemTrimConfig",
        },
      ),
      interval: trimInterval,
    }),
    "File system trim (fstrim) of the volume",
    { optional: true, since: "1.14" },
  ),
  scrub: field(
    struct({
      enabled: flag("Enables scrubbing of the volume", "true"),
      interval: field(duration, "Interval between scrubs, at least 10s", {
        initial: "that of FilesystemScrubConfig",
        example: "168h0m0s",
      }),
    }),
    "File system scrub of the volume",
    { optional: true, since: "1.14" },
  ),
};

/** Checks the keys `trim` and `scrub`. */
export function* maintenanceRules(document: Cursor): Iterable<Problem> {
  yield* notNegative(document.get("trim", "interval"), "168h");
  yield* scrubRules(document.get("scrub", "interval"));
}

function* scrubRules(interval: Cursor): Iterable<Problem> {
  const time = nanosecondsOf(interval.text() ?? "") ?? 0n;
  if (time !== 0n && time < 10_000_000_000n) {
    yield interval.error(
      `Interval "${interval.text()}" is shorter than 10s`,
      "Give an interval such as 168h",
    );
  }
}

/** `FilesystemTrimConfig`. */
export const filesystemTrim: DocumentKind = {
  kind: "FilesystemTrimConfig",
  summary: "Periodic file system trim (fstrim) of all volumes",
  named: false,
  since: "1.14",
  fields: {
    interval: field(duration, "Interval between trims", {
      example: "168h0m0s",
    }),
  },
  examples: [{ value: { interval: "168h0m0s" } }],
  rules: (document) => notNegative(document.get("interval"), "168h"),
};

/** `FilesystemScrubConfig`. */
export const filesystemScrub: DocumentKind = {
  kind: "FilesystemScrubConfig",
  summary: "Periodic file system scrub of all volumes",
  named: false,
  since: "1.14",
  fields: {
    interval: field(duration, "Interval between scrubs", {
      initial: "168h0m0s",
      example: "168h0m0s",
    }),
  },
  examples: [{ value: { interval: "168h0m0s" } }],
  rules: (document) => scrubRules(document.get("interval")),
};
