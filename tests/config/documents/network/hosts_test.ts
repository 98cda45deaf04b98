import {
  hostname,
  staticHost,
} from "../../../../config/documents/network/hosts.ts";
import { testRules } from "../_rules.ts";

const label = "a".repeat(63);
const long = `${label}.${label}.${label}.${"a".repeat(61)}`;

testRules(hostname, [
  { title: "a kind of name is enough", value: { auto: "off" }, problems: [] },
  { title: "a name is enough", value: { hostname: "a.b" }, problems: [] },
  {
    title: "a name goes with none made up",
    value: { auto: "OFF", hostname: long },
    problems: [],
  },
  {
    title: "something must be given",
    value: { hostname: "" },
    problems: [': Neither "auto" nor "hostname" is given'],
  },
  {
    title: "a name goes not with one made up",
    value: { auto: "stable", hostname: "node" },
    problems: [
      'hostname: Hostname "node" is given although "auto" is "stable"',
    ],
  },
  {
    title: "a name has at most 253 characters",
    value: { hostname: `${long}a` },
    problems: ["hostname: Hostname has 254 characters"],
  },
  {
    title: "a name has at most 63 characters before the first dot",
    value: { hostname: `a${label}.b` },
    problems: [
      `hostname: First part of hostname "a${label}.b" has 64 characters`,
    ],
  },
  {
    title: "a name does not start with a dot",
    value: { hostname: ".b" },
    problems: ['hostname: First part of hostname ".b" has 0 characters'],
  },
]);

testRules(staticHost, [
  {
    title: "the name is an address",
    value: { name: "10.0.0.10", hostnames: ["a"] },
    problems: [],
  },
  {
    title: "the name is not a hostname",
    value: { name: "a", hostnames: ["a"] },
    problems: ['name: Name "a" is not an IP address'],
  },
]);
