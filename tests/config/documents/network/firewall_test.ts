import { networkRule } from "../../../../config/documents/network/firewall.ts";
import { testRules } from "../_rules.ts";

testRules(networkRule, [
  {
    title: "ports and ranges in any order are fine",
    value: { portSelector: { ports: ["80-90", 22, "91-91"] } },
    problems: [],
  },
  {
    title: "a range ends after it begins",
    value: { portSelector: { ports: [22, "90-80"] } },
    problems: [
      'portSelector.ports[1]: Port range "90-80" ends before it starts',
    ],
  },
  {
    title: "no port is twice",
    value: { portSelector: { ports: ["90-95", "80-90", 95] } },
    problems: [
      'portSelector.ports[0]: Ports "90-95" overlap with "80-90"',
      'portSelector.ports[2]: Ports "95" overlap with "90-95"',
    ],
  },
]);
