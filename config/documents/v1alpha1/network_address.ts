/** Parts that interfaces and VLANs of `machine.network` share. */

import { openText, string, u32 } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, struct } from "../shapes.ts";

/** A route. */
export const route: StructShape = struct({
  network: field(openText, "Where it leads; everywhere when empty", {
    always: true,
  }),
  gateway: field(openText, "Next hop; the link itself when empty", {
    always: true,
  }),
  source: field(openText, "Source address of what takes the route"),
  metric: field(u32, "Priority; the lower number wins"),
  mtu: field(u32, "Largest packet on the route, in bytes"),
});

/** How DHCP is spoken. */
export const dhcpOptions: StructShape = struct({
  routeMetric: field(u32, "Priority of routes the server names", {
    always: true,
    initial: "1024",
  }),
  ipv4: flag("Addresses of version 4 are asked for", "true"),
  ipv6: flag("Addresses of version 6 are asked for"),
  duidv6: field(
    openText,
    "Identity towards servers of version 6, in hexadecimal",
  ),
});

const apiToken = {
  apiToken: field(string, "Token for the provider's API", {
    always: true,
    secret: true,
  }),
} as const;

/** An address that control planes share. */
export const vip: StructShape = struct({
  ip: field(openText, "The address"),
  equinixMetal: field(
    struct(apiToken),
    "The address is moved by this provider's API",
    { optional: true },
  ),
  hcloud: field(
    struct(apiToken),
    "The address is moved by this provider's API",
    { optional: true },
  ),
});
