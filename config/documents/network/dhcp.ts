import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { boolean, choice, hardwareAddress, u32 } from "../scalars/scalars.ts";
import type { DocumentKind, Fields } from "../schema.ts";
import { field, flag, nameField } from "../shapes.ts";

const fieldsWith = (own: Fields): Fields => ({
  name: nameField("Name or alias of the link", "enp0s3"),
  routeMetric: field(u32, "Metric of routes received from the server", {
    initial: "1024",
  }),
  ignoreHostname: field(
    boolean,
    "Whether to ignore the hostname the server sends",
    { optional: true, initial: "false" },
  ),
  ...own,
  clientIdentifier: field(
    choice(["none", "mac", "duid"], { insensitive: true }),
    "Client identifier sent to the server",
    { optional: true, initial: "mac" },
  ),
  duidRaw: field(
    hardwareAddress,
    "DUID to send, with clientIdentifier: duid",
    { merge: "replace", example: "00:01:00:01:23:45:67:89:ab:cd:ef:01:23:45" },
  ),
});

/** `DHCPv4Config`. */
export const dhcp4: DocumentKind = {
  kind: "DHCPv4Config",
  summary: "Configures a link with DHCP for IPv4",
  named: true,
  since: "1.12",
  fields: fieldsWith({
    ignoreRoutes: {
      ...flag("Ignores routes from the server"),
      since: "1.14",
    },
  }),
  examples: [{
    value: {
      name: "enp0s3",
      routeMetric: 512,
      ignoreHostname: true,
      clientIdentifier: "mac",
    },
  }],
  rules,
};

/** `DHCPv6Config`. */
export const dhcp6: DocumentKind = {
  kind: "DHCPv6Config",
  summary: "Configures a link with DHCP for IPv6",
  named: true,
  since: "1.12",
  fields: fieldsWith({}),
  examples: [{
    value: {
      name: "enp0s3",
      clientIdentifier: "duid",
      duidRaw: "00:01:00:01:23:45:67:89:ab:cd:ef:01:23:45",
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const kind = document.get("clientIdentifier").text() ?? "mac";
  const id = document.get("duidRaw");
  // Colons alone are not bytes.
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
