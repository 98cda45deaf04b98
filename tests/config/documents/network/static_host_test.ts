import { staticHost } from "../../../../config/documents/network/static_host.ts";
import { testRules } from "../_rules.ts";

testRules(staticHost, [
  {
    title: "the name is an address",
    value: { name: "10.0.0.10", hostnames: ["a"] },
    problems: [],
  },
  {
    title: "the name is no hostname",
    value: { name: "a", hostnames: ["a"] },
    problems: ['name: Name "a" is not an IP address'],
  },
]);
