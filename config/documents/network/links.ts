/** Network links that hold addresses and routes, apart from bonds and tunnels. */

import {
  boolean,
  choice,
  hardwareAddress,
  integer,
  openText,
} from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";
import { linkFields, linkRules } from "./link_block.ts";

/** `LinkConfig`. */
export const link: DocumentKind = {
  kind: "LinkConfig",
  summary: "Addresses and routes of a network link that exists",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name or alias of the link", "enp0s3"),
    ...linkFields,
  },
  examples: [
    {
      title: "Fixed addresses",
      value: {
        name: "enp0s3",
        mtu: 9000,
        addresses: [
          { address: "10.0.0.2/24" },
          { address: "fd00::2/64", routePriority: 512 },
        ],
        routes: [
          { gateway: "10.0.0.1" },
          {
            destination: "10.8.0.0/16",
            gateway: "10.0.0.9",
            source: "10.0.0.2",
            metric: 100,
            mtu: 1400,
            table: "main",
          },
        ],
        multicast: true,
      },
    },
    { title: "A link that stays off", value: { name: "enp0s4", up: false } },
  ],
  rules: linkRules,
};

/** `DummyLinkConfig`. */
export const dummyLink: DocumentKind = {
  kind: "DummyLinkConfig",
  summary: "A link without a wire, to hold addresses",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "dummy0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address; made up when absent",
      { merge: "replace", example: "02:00:00:00:00:01" },
    ),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "dummy0",
      hardwareAddr: "02:00:00:00:00:01",
      addresses: [{ address: "192.0.2.10/32" }],
    },
  }],
  rules: linkRules,
};

/** `VLANConfig`. */
export const vlan: DocumentKind = {
  kind: "VLANConfig",
  summary: "A VLAN on top of another link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "enp0s3.34"),
    vlanID: field(integer(1n, 4094n), "Number of the VLAN", {
      required: true,
      example: 34,
    }),
    vlanMode: field(
      choice(["802.1q", "802.1ad"], { insensitive: true }),
      "Protocol of the tags",
      { optional: true, initial: "802.1q", example: "802.1q" },
    ),
    parent: field(openText, "Name or alias of the link that carries the VLAN", {
      required: true,
      example: "enp0s3",
    }),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "enp0s3.34",
      vlanID: 34,
      vlanMode: "802.1q",
      parent: "enp0s3",
      addresses: [{ address: "192.168.34.2/24" }],
      routes: [{ destination: "192.168.0.0/16", gateway: "192.168.34.1" }],
    },
  }],
  rules: linkRules,
};

/** `BridgeConfig`. */
export const bridge: DocumentKind = {
  kind: "BridgeConfig",
  summary: "A bridge over other links",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the bridge", "br0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address of the bridge; one of its ports' when absent",
      { merge: "replace", example: "02:00:00:00:00:02" },
    ),
    links: field(
      list(openText),
      "Names or aliases of the links that become its ports",
      { example: ["enp0s3", "enp0s4"] },
    ),
    stp: field(
      struct({
        enabled: field(
          boolean,
          "Whether the spanning tree protocol keeps loops open",
          { optional: true },
        ),
      }),
      "Spanning tree protocol",
    ),
    vlan: field(
      struct({
        filtering: field(
          boolean,
          "Whether ports only pass on the VLANs they belong to",
          { optional: true },
        ),
      }),
      "Treatment of VLANs",
    ),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "br0",
      links: ["enp0s3", "enp0s4"],
      stp: { enabled: true },
      vlan: { filtering: false },
      addresses: [{ address: "10.0.0.2/24" }],
    },
  }],
  rules: linkRules,
};
