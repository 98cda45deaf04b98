/** Where the node's clock gets the time from. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf } from "../scalars/duration.ts";
import { boolean, duration, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { list, struct } from "../shapes.ts";

/** `TimeSyncConfig`. */
export const timeSync: DocumentKind = {
  kind: "TimeSyncConfig",
  summary: "Where the clock of the node gets the time from",
  named: false,
  since: "1.12",
  fields: {
    enabled: {
      shape: boolean,
      optional: true,
      summary: "Whether the clock is kept right at all",
      initial: "true",
    },
    bootTimeout: {
      shape: duration,
      summary: "Time after which booting goes on without the right time",
      initial: "unlimited",
      examples: [{ value: "2m0s" }],
    },
    ntp: {
      shape: struct({
        servers: {
          shape: list(openText),
          summary: "Names or addresses of the servers",
          examples: [{ value: ["time.example.org"] }],
        },
      }),
      optional: true,
      summary: "Time from servers on the network",
      initial: "time.cloudflare.com",
    },
    ptp: {
      shape: struct({
        devices: {
          shape: list(openText),
          summary: "Clock devices",
          examples: [{ value: ["/dev/ptp0"] }],
        },
      }),
      optional: true,
      summary: "Time from clocks in the machine",
    },
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
