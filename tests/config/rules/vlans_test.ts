import { vlanRules } from "../../../config/rules/vlans.ts";
import { testRules } from "./_rules.ts";

testRules("vlanRules", (root) => vlanRules(root.get("vlans")), [
  ["takes addresses", "vlans: [{vlanId: 5, addresses: [10.0.0.1/8]}]", []],
  [
    "refuses two ways to give addresses",
    "vlans: [{vlanId: 5, cidr: 10.0.0.1/8, addresses: [10.0.0.1/8]}]",
    ["error vlans[0].cidr: VLAN 5 has both cidr and addresses"],
  ],
  ["refuses other texts", "vlans: [{addresses: [node]}]", [
    'error vlans[0].addresses[0]: "node" is not an IP address',
  ]],
  ["refuses null", "vlans: [~]", ["error vlans[0]: A VLAN is empty"]],
]);
