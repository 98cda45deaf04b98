import { existingVolume } from "../../../../config/documents/storage/existing_volume.ts";
import {
  rawVolume,
  swapVolume,
} from "../../../../config/documents/storage/partition_volume.ts";
import { userVolume } from "../../../../config/documents/storage/user_volume.ts";
import { testRules } from "../_rules.ts";

const provisioning = {
  diskSelector: { match: "!system_disk" },
  minSize: "1GiB",
};

for (const kind of [userVolume, rawVolume, swapVolume]) {
  testRules(kind, [
    {
      title: "the name has up to 34 letters, digits and hyphens",
      value: { name: `A-${"0".repeat(32)}`, provisioning },
      problems: [],
    },
    {
      title: "the name fits into a label",
      value: { name: "a".repeat(35), provisioning },
      problems: [`name: Name "${"a".repeat(35)}" has 35 characters`],
    },
    {
      title: "the name has no other characters",
      value: { name: "a_b", provisioning },
      problems: ['name: Name "a_b" contains "_"'],
    },
  ]);
}

testRules(existingVolume, [
  {
    title: "the name may be long",
    value: { name: "a".repeat(35) },
    problems: [],
  },
  {
    title: "the name has letters, digits and hyphens only",
    value: { name: "größe" },
    problems: ['name: Name "größe" contains "ö"'],
  },
]);
