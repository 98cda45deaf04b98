import {
  addressingRules,
  addressListRules,
} from "../../../config/rules/interface_addresses.ts";
import { testRules } from "./_rules.ts";

testRules("addressingRules", (root) => addressingRules(root, false), [
  [
    "takes addresses",
    "interface: a\naddresses: [10.0.0.1/8, 'fd00::1']\nvip: {ip: 10.0.0.2}",
    [],
  ],
  ["warns of cidr", "interface: a\ncidr: 10.0.0.1/8", [
    'warning cidr: Interface "a" has its address under cidr, which is deprecated',
  ]],
  ["refuses a shared network", "vip: {ip: 10.0.0.2/8}", [
    'error vip.ip: Shared address "10.0.0.2/8" is not an IP address',
  ]],
  ["wants a shared address", "vip: {}", [
    'error vip.ip: Shared address "" is not an IP address',
  ]],
]);

testRules("addressingRules of a part", (root) => addressingRules(root, true), [
  ["take no addresses", "interface: a\nmtu: 1500\naddresses: []", []],
  ["refuse addresses", "interface: a\naddresses: [10.0.0.1]", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
  ]],
  ["refuse cidr", "interface: a\ncidr: 10.0.0.1", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
    'warning cidr: Interface "a" has its address under cidr, which is deprecated',
  ]],
  ["refuse a shared address", "interface: a\nvip: {ip: 10.0.0.2}", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
  ]],
]);

testRules("addressListRules", (root) => addressListRules(root, "VLAN 5"), [
  ["take one of both", "cidr: 10.0.0.1/8", []],
  ["refuse both", "cidr: 10.0.0.1/8\naddresses: [10.0.0.1/8]", [
    "error cidr: VLAN 5 has both cidr and addresses",
  ]],
  ["refuse other texts", "addresses: [10.0.0.1/8, node, 10.0.0.1/33]", [
    'error addresses[1]: "node" is not an IP address',
    'error addresses[2]: "10.0.0.1/33" is not an IP address',
  ]],
]);
