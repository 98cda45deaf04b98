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
  summary: "Configures an existing link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name or alias of the link", "enp0s3"),
    ...linkFields,
  },
  examples: [
    {
      title: "Static addresses",
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
    { title: "A link that is kept down", value: { name: "enp0s4", up: false } },
  ],
  rules: linkRules,
};

/** `DummyLinkConfig`. */
export const dummyLink: DocumentKind = {
  kind: "DummyLinkConfig",
  summary: "A dummy link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "dummy0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address; generated if absent",
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
  summary: "A VLAN link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "enp0s3.34"),
    vlanID: field(integer(1n, 4094n), "VLAN ID", {
      required: true,
      example: 34,
    }),
    vlanMode: field(
      choice(["802.1q", "802.1ad"], { insensitive: true }),
      "VLAN protocol",
      { optional: true, initial: "802.1q", example: "802.1q" },
    ),
    parent: field(openText, "Name or alias of the parent link", {
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
  summary: "A bridge",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the bridge", "br0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address of the bridge; default that of one of its ports",
      { merge: "replace", example: "02:00:00:00:00:02" },
    ),
    links: field(
      list(openText),
      "Names or aliases of the links to add as ports",
      { example: ["enp0s3", "enp0s4"] },
    ),
    stp: field(
      struct({
        enabled: field(
          boolean,
          "Whether to enable STP",
          { optional: true },
        ),
      }),
      "Spanning Tree Protocol (STP) settings",
    ),
    vlan: field(
      struct({
        filtering: field(
          boolean,
          "Whether to enable VLAN filtering",
          { optional: true },
        ),
      }),
      "VLAN settings",
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
