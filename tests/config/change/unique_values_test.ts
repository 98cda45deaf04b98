import assert from "node:assert/strict";
import { staticAddresses } from "../../../config/change/unique_values.ts";
import { parseDocuments } from "./_documents.ts";

const documents = parseDocuments(`machine:
  type: worker
  kubelet:
    extraArgs: {hostname-override: w1, v: "2"}
  install:
    disk: /dev/sda
    diskSelector: {serial: S1, model: M*}
  network:
    hostname: w1
    interfaces:
      - interface: eth0
        addresses: [10.0.0.2/24]
        vip: {ip: 10.0.0.100}
        vlans: [{vlanId: 5, addresses: [10.5.0.2/24]}]
      - deviceSelector: {hardwareAddr: "00:11:22:*"}
        cidr: 10.1.0.2/24
      - deviceSelector: {hardwareAddr: "00:11:22:33:44:55"}
        wireguard: {privateKey: abc}
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth1
addresses: [{address: fd00::2/64}]
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.0.0.101
link: eth0
`);

Deno.test("staticAddresses are without the length of their network", () => {
  assert.deepEqual(staticAddresses(documents), [
    "10.0.0.2",
    "10.5.0.2",
    "10.1.0.2",
    "fd00::2",
  ]);
});
