/** Where the node's clock gets the time from. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf } from "../scalars/duration.ts";
import { boolean, duration, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, struct } from "../shapes.ts";

/** `TimeSyncConfig`. */
export const timeSync: DocumentKind = {
  kind: "TimeSyncConfig",
  summary: "Where the clock of the node gets the time from",
  named: false,
  since: "1.12",
  fields: {
    enabled: field(boolean, "Whether the clock is kept right at all", {
      optional: true,
      initial: "true",
    }),
    bootTimeout: field(
      duration,
      "Time after which booting continues without the right time",
      { initial: "unlimited", example: "2m0s" },
    ),
    ntp: field(
      struct({
        servers: field(list(openText), "Names or addresses of the servers", {
          example: ["time.example.org"],
        }),
      }),
      "Time from servers on the network",
      { optional: true, initial: "time.cloudflare.com" },
    ),
    ptp: field(
      struct({
        devices: field(list(openText), "Clock devices", {
          example: ["/dev/ptp0"],
        }),
      }),
      "Time from clocks in the machine",
      { optional: true },
    ),
  },
  examples: [
    {
      title: "From servers",
      value: {
        enabled: true,
        bootTimeout: "2m0s",
        ntp: { servers: ["time.example.org"] },
      },
    },
    {
      title: "From a clock that the hypervisor provides",
      value: { ptp: { devices: ["/dev/ptp0"] } },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const timeout = document.get("bootTimeout");
  if ((nanosecondsOf(timeout.text() ?? "") ?? 0n) < 0n) {
    yield timeout.error(
      `Time "${timeout.text()}" is negative`,
      "Give a positive time, such as 2m",
    );
  }
  const ptp = document.get("ptp");
  if (document.get("ntp").node !== undefined && ptp.node !== undefined) {
    yield ptp.error('Both "ntp" and "ptp" are given', "Leave one of them out");
  }
}
