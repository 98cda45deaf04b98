import {
  hcloudVip,
  layer2Vip,
} from "../../../../config/documents/network/vip.ts";
import { testRules } from "../_rules.ts";

for (const kind of [layer2Vip, hcloudVip]) {
  testRules(kind, [
    {
      title: "the name is an address of either version",
      value: { name: "fd00::100", link: "enp0s3" },
      problems: [],
    },
    {
      title: "the name is nothing but an address",
      value: { name: "10.0.0.100/24", link: "enp0s3" },
      problems: ['name: Name "10.0.0.100/24" is not an IP address'],
    },
  ]);
}
