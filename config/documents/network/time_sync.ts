import { addressFamily } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative } from "../scalars/duration.ts";
import { documentKind } from "../table.ts";

export const timeSync = documentKind(rules)`
TimeSyncConfig | since 1.12 | Time synchronization of the node
  = With NTP servers | {"enabled": true, "bootTimeout": "2m0s", "ntp": {"servers": ["time.example.org"]}}
  = With a PTP clock provided by the hypervisor | {"ptp": {"devices": ["/dev/ptp0"]}}
  enabled     | boolean, optional, default true | Whether time synchronization is enabled
  bootTimeout | duration, default unlimited | How long booting waits for time sync before it continues without
    = "2m0s"
  ntp         | struct, optional, default time.cloudflare.com | NTP settings
    servers   | list(text) | Hostnames or addresses of NTP servers | ["time.example.org"]
    useNTS    | boolean, optional, default false, since 1.14 | Uses Network Time Security (NTS); requires hostnames
  ptp         | struct, optional | PTP settings
    devices   | list(text) | PTP devices | ["/dev/ptp0"]
`;

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
