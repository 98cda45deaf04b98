import assert from "node:assert/strict";
import { bond } from "../../../../config/documents/network/bond.ts";
import { testRules } from "../_rules.ts";

const links = ["enp0s3", "enp0s4"];

testRules(bond, [
  {
    title: "other modes than 802.3ad need no delays",
    value: { name: "bond0", links, bondMode: "active-backup" },
    problems: [],
  },
  {
    title: "802.3ad with all delays is fine",
    value: {
      name: "bond0",
      links,
      bondMode: "802.3ad",
      miimon: 0,
      updelay: 200,
      downdelay: 200,
    },
    problems: [],
  },
  {
    title: "802.3ad wants all delays",
    value: { name: "bond0", links, bondMode: "802.3AD", updelay: 200 },
    problems: [
      'warning miimon: "miimon" is missing for bond mode "802.3ad"',
      'warning downdelay: "downdelay" is missing for bond mode "802.3ad"',
    ],
  },
  {
    title: "a bond is a link",
    value: { addresses: [{ address: "0.0.0.0/24" }] },
    problems: [
      'addresses[0].address: Address "0.0.0.0/24" is not a host address',
    ],
  },
]);

Deno.test("BondConfig: failOverMac is known by numbers too", () => {
  const { shape } = bond.fields["failOverMac"] ?? {};
  assert.ok(shape?.shape === "scalar");
  const read = (text: string) =>
    shape.read({ kind: "scalar", text, plain: true });
  assert.deepEqual(["", "0", "1", "2"].map(read), [
    read("none"),
    read("none"),
    read("active"),
    read("follow"),
  ]);
  assert.notDeepEqual(read("active"), read("follow"));
});
