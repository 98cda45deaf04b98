import { dhcp4, dhcp6 } from "../../../../config/documents/network/dhcp.ts";
import { testRules } from "../_rules.ts";

for (const kind of [dhcp4, dhcp6]) {
  testRules(kind, [
    { title: "a link is enough", value: { name: "enp0s3" }, problems: [] },
    {
      title: "a DUID goes with its kind of identifier",
      value: { name: "a", clientIdentifier: "DUID", duidRaw: "00:01" },
      problems: [],
    },
    {
      title: "a DUID goes with no other kind",
      value: { name: "a", clientIdentifier: "none", duidRaw: "00:01" },
      problems: [
        'duidRaw: "duidRaw" is given although the client identifier is "none"',
      ],
    },
    {
      title: "a DUID goes not with the kind that counts by default",
      value: { name: "a", duidRaw: "00:01" },
      problems: [
        'duidRaw: "duidRaw" is given although the client identifier is "mac"',
      ],
    },
    {
      title: "its kind of identifier needs a DUID",
      value: { name: "a", clientIdentifier: "duid", duidRaw: "::" },
      problems: [
        'duidRaw: "duidRaw" is missing although the client identifier is "duid"',
      ],
    },
  ]);
}
