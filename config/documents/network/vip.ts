import { addressFamily } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const layer2Vip = documentKind(rules)`
Layer2VIPConfig | named, since 1.12, group vips | Virtual IP of the control planes, announced with ARP
  = {"name": "10.0.0.100", "link": "enp0s3"}
  name | text, always | The virtual IP (VIP) | "10.0.0.100"
  link | text, always, required | Name or alias of the link that gets the VIP | "enp0s3"
`;

export const hcloudVip = documentKind(rules)`
HCloudVIPConfig | named, since 1.12, group vips | Virtual IP of the control planes, assigned with the Hetzner Cloud API
  = {"name": "10.0.0.100", "link": "enp0s3", "apiToken": "0123456789abcdef"}
  name     | text, always | The virtual IP (VIP) | "10.0.0.100"
  link     | text, always, required | Name or alias of the link that gets the VIP | "enp0s3"
  apiToken | string, always, required, secret | API token of the provider
`;

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text !== "" && addressFamily(text) === undefined) {
    yield given.error(
      `Name "${text}" is not an IP address`,
      'Set "name" to the virtual IP',
    );
  }
}
