import assert from "node:assert/strict";
import { settingsIn } from "../../../../simulator/state/node_settings.ts";
import { networkContents } from "../../../../simulator/node/contents/network.ts";
import { networkSpecs } from "../../../../simulator/node/contents/network_specs.ts";
import { loadDocuments } from "../../../../config/documents/load.ts";
import { madeNodes } from "../../_node.ts";

/** Specs of a node whose statuses are the usual ones, by type and name. */
async function specsWith(text: string) {
  const [node] = await madeNodes();
  const { documents } = loadDocuments(text, "config.yaml");
  const wanted = { ...settingsIn(documents), isNamed: text !== "" };
  const specs = networkSpecs(networkContents(node!), wanted);
  return Object.fromEntries(
    specs.map(({ type, id, spec }) => [`${type} ${id}`, spec]),
  );
}

Deno.test("specs say what a node wants of its network, and where that comes from", async () => {
  assert.deepEqual(await specsWith(""), {
    "HostnameSpecs.net hostname": {
      hostname: "lab-controlplane-1",
      domainname: "",
      layer: "default",
    },
    "LinkSpecs.net lo": link("lo", "default"),
    "LinkSpecs.net eth0": link("eth0", "default"),
    "AddressSpecs.net lo/127.0.0.1/8": {
      address: "127.0.0.1/8",
      linkName: "lo",
      family: "inet4",
      scope: "host",
      flags: "permanent",
      layer: "default",
    },
    "AddressSpecs.net eth0/10.5.0.2/24": {
      address: "10.5.0.2/24",
      linkName: "eth0",
      family: "inet4",
      scope: "global",
      flags: "permanent",
      layer: "operator",
    },
    "RouteSpecs.net inet4/10.5.0.1//1024": {
      family: "inet4",
      dst: "",
      src: "10.5.0.2",
      gateway: "10.5.0.1",
      outLinkName: "eth0",
      table: "main",
      priority: 1024,
      scope: "global",
      type: "unicast",
      flags: "",
      protocol: "boot",
      layer: "operator",
    },
    "ResolverSpecs.net resolvers": {
      dnsServers: ["1.1.1.1", "8.8.8.8"],
      layer: "default",
    },
    "TimeServerSpecs.net timeservers": {
      timeServers: ["time.cloudflare.com"],
      layer: "default",
    },
  });
});

Deno.test("what the configuration sets is in its layer", async () => {
  const specs = await specsWith(`version: v1alpha1
machine:
  time: {servers: [time.example.org]}
  network:
    nameservers: [1.1.1.1]
    interfaces:
      - interface: eth0
        addresses: [10.5.0.2/24]
        routes: [{network: 0.0.0.0/0, gateway: 10.5.0.1}]
`);
  const layers = Object.entries(specs).map(([name, spec]) =>
    // Every spec has one.
    `${name}: ${(spec as { layer: string }).layer}`
  );
  assert.deepEqual(layers, [
    "HostnameSpecs.net hostname: configuration",
    "LinkSpecs.net lo: default",
    "LinkSpecs.net eth0: configuration",
    "AddressSpecs.net lo/127.0.0.1/8: default",
    "AddressSpecs.net eth0/10.5.0.2/24: configuration",
    "RouteSpecs.net inet4/10.5.0.1//1024: configuration",
    "ResolverSpecs.net resolvers: configuration",
    "TimeServerSpecs.net timeservers: configuration",
  ]);
});

function link(name: string, layer: string) {
  return {
    name,
    logical: false,
    up: true,
    mtu: 0,
    kind: "",
    type: "netrom",
    layer,
  };
}
