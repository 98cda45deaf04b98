import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative } from "../scalars/duration.ts";
import { boolean, duration, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

/** `TimeSyncConfig`. */
export const timeSync: DocumentKind = {
  kind: "TimeSyncConfig",
  summary: "Time synchronization of the node",
  named: false,
  since: "1.12",
  fields: {
    enabled: field(boolean, "Whether time synchronization is enabled", {
      optional: true,
      initial: "true",
    }),
    bootTimeout: field(
      duration,
      "How long booting waits for time sync before it continues without",
      { initial: "unlimited", example: "2m0s" },
    ),
    ntp: field(
      struct({
        servers: field(
          list(openText),
          "Hostnames or addresses of NTP servers",
          {
            example: ["time.example.org"],
          },
        ),
        useNTS: {
          ...flag("Uses Network Time Security (NTS); requires hostnames"),
          since: "1.14",
        },
      }),
      "NTP settings",
      { optional: true, initial: "time.cloudflare.com" },
    ),
    ptp: field(
      struct({
        devices: field(list(openText), "PTP devices", {
          example: ["/dev/ptp0"],
        }),
      }),
      "PTP settings",
      { optional: true },
    ),
  },
  examples: [
    {
      title: "With NTP servers",
      value: {
        enabled: true,
        bootTimeout: "2m0s",
        ntp: { servers: ["time.example.org"] },
      },
    },
    {
      title: "With a PTP clock provided by the hypervisor",
      value: { ptp: { devices: ["/dev/ptp0"] } },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  yield* notNegative(document.get("bootTimeout"), "2m");
  const [ntp, ptp] = [document.get("ntp"), document.get("ptp")];
  if (ntp.node !== undefined && ptp.node !== undefined) {
    yield ptp.error('Both "ntp" and "ptp" are given', "Remove one of them");
  }
  if (ntp.get("useNTS").truth() !== true) return;
  for (const server of ntp.get("servers").items()) {
    if (addressFamily(server.text() ?? "") === undefined) continue;
    yield server.error(
      `Server "${server.text()}" is an IP address, but NTS requires a hostname`,
      'Give its hostname, or remove "useNTS"',
    );
  }
}
