/** Parts that interfaces and VLANs of `machine.network` share. */

import { openText, string, u32 } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { struct } from "../shapes.ts";
import { flag } from "./flag.ts";

/** A route. */
export const route: StructShape = struct({
  network: {
    shape: openText,
    always: true,
    summary: "Where it leads; everywhere when empty",
  },
  gateway: {
    shape: openText,
    always: true,
    summary: "Next hop; the link itself when empty",
  },
  source: {
    shape: openText,
    summary: "Source address of what takes the route",
  },
  metric: { shape: u32, summary: "Priority; the lower number wins" },
  mtu: { shape: u32, summary: "Largest packet on the route, in bytes" },
});

/** How DHCP is spoken. */
export const dhcpOptions: StructShape = struct({
  routeMetric: {
    shape: u32,
    always: true,
    summary: "Priority of routes the server names",
    initial: "1024",
  },
  ipv4: flag("Addresses of version 4 are asked for", "true"),
  ipv6: flag("Addresses of version 6 are asked for"),
  duidv6: {
    shape: openText,
    summary: "Identity towards servers of version 6, in hexadecimal",
  },
});

const apiToken = {
  apiToken: {
    shape: string,
    always: true,
    secret: true,
    summary: "Token for the provider's API",
  },
} as const;

/** An address that control planes share. */
export const vip: StructShape = struct({
  ip: { shape: openText, summary: "The address" },
  equinixMetal: {
    shape: struct(apiToken),
    optional: true,
    summary: "The address is moved by this provider's API",
  },
  hcloud: {
    shape: struct(apiToken),
    optional: true,
    summary: "The address is moved by this provider's API",
  },
});
