import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const dhcp4 = documentKind(rules)`
DHCPv4Config | named, since 1.12 | Configures a link with DHCP for IPv4
  = {"name": "enp0s3", "routeMetric": 512, "ignoreHostname": true, "clientIdentifier": "mac"}
  name             | text, always | Name or alias of the link | "enp0s3"
  routeMetric      | u32, default 1024 | Metric of routes received from the server
  ignoreHostname   | boolean, optional, default false | Whether to ignore the hostname the server sends
  ignoreRoutes     | boolean, optional, default false, since 1.14 | Ignores routes from the server
  clientIdentifier | choice(none mac duid), optional, default mac | Client identifier sent to the server
  duidRaw          | hardwareAddress, replace | DUID to send, with clientIdentifier: duid
    = "00:01:00:01:23:45:67:89:ab:cd:ef:01:23:45"
`;

export const dhcp6 = documentKind(rules)`
DHCPv6Config | named, since 1.12 | Configures a link with DHCP for IPv6
  = {"name": "enp0s3", "clientIdentifier": "duid", "duidRaw": "00:01:00:01:23:45:67:89:ab:cd:ef:01:23:45"}
  name             | text, always | Name or alias of the link | "enp0s3"
  routeMetric      | u32, default 1024 | Metric of routes received from the server
  ignoreHostname   | boolean, optional, default false | Whether to ignore the hostname the server sends
  clientIdentifier | choice(none mac duid), optional, default mac | Client identifier sent to the server
  duidRaw          | hardwareAddress, replace | DUID to send, with clientIdentifier: duid
    = "00:01:00:01:23:45:67:89:ab:cd:ef:01:23:45"
`;

function* rules(document: Cursor): Iterable<Problem> {
  const kind = document.get("clientIdentifier").text() ?? "mac";
  const id = document.get("duidRaw");
  // Colons alone contain no bytes.
  const given = /[^:]/.test(id.text() ?? "");
  if (given && kind.toLowerCase() !== "duid") {
    yield id.error(
      `"duidRaw" is given although the client identifier is "${kind}"`,
      'Set "clientIdentifier" to "duid" or remove "duidRaw"',
    );
  }
  if (!given && kind.toLowerCase() === "duid") {
    yield id.error(
      '"duidRaw" is missing although the client identifier is "duid"',
      "Give the DUID as hexadecimal bytes separated by colons",
    );
  }
}
