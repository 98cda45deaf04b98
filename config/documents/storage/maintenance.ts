/** What volumes share beside their place: how they are mounted, trimmed and checked. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf, notNegative } from "../scalars/duration.ts";
import { byteSize, duration } from "../scalars/scalars.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field, flag, struct } from "../shapes.ts";

/** Key `disableAccessTime` of `mount`. */
export const disableAccessTime: Field = flag(
  "Files do not note when they were read",
);

/** Key `secure` of `mount`. */
export const secure: Field = flag(
  "Programs, devices and changes of the user on it do not count",
  "true",
);

/** Key `xfs` of `filesystem`. */
export const xfs: Field = field(
  struct({
    minAllocationGroupSize: field(
      byteSize,
      "Least size of an allocation group",
      {
        example: "128GiB",
      },
    ),
  }),
  "Settings of xfs",
  { optional: true, since: "1.14" },
);

const trimInterval = field(duration, "Time between two times", {
  initial: "that of FilesystemTrimConfig",
  example: "168h0m0s",
});

/** Keys `trim` and `scrub` of volumes. */
export const maintenance: Readonly<Record<"trim" | "scrub", Field>> = {
  trim: field(
    struct({
      enabled: field(
        flag("").shape,
        "Whether the disk is told which blocks are free",
        {
          optional: true,
          initial: "true with FilesystemTrimConfig",
        },
      ),
      interval: trimInterval,
    }),
    "When the disk is told which blocks are free",
    { optional: true, since: "1.14" },
  ),
  scrub: field(
    struct({
      enabled: flag("The file system is checked", "true"),
      interval: field(duration, "Time between two checks, 10s or more", {
        initial: "that of FilesystemScrubConfig",
        example: "168h0m0s",
      }),
    }),
    "When the file system is checked for errors",
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
      `Time "${interval.text()}" is shorter than 10s`,
      "Give a time such as 168h",
    );
  }
}

/** `FilesystemTrimConfig`. */
export const filesystemTrim: DocumentKind = {
  kind: "FilesystemTrimConfig",
  summary: "Disks are told regularly which blocks are free",
  named: false,
  since: "1.14",
  fields: {
    interval: field(duration, "Time between two times, for each volume", {
      example: "168h0m0s",
    }),
  },
  examples: [{ value: { interval: "168h0m0s" } }],
  rules: (document) => notNegative(document.get("interval"), "168h"),
};

/** `FilesystemScrubConfig`. */
export const filesystemScrub: DocumentKind = {
  kind: "FilesystemScrubConfig",
  summary: "File systems are checked for errors regularly",
  named: false,
  since: "1.14",
  fields: {
    interval: field(duration, "Time between two checks, for each volume", {
      initial: "168h0m0s",
      example: "168h0m0s",
    }),
  },
  examples: [{ value: { interval: "168h0m0s" } }],
  rules: (document) => scrubRules(document.get("interval")),
};
