import assert from "node:assert/strict";
import { toCursor } from "../../../../config/documents/cursor.ts";
import { existingVolume } from "../../../../config/documents/storage/existing_volume.ts";
import {
  rawVolume,
  swapVolume,
} from "../../../../config/documents/storage/partition_volume.ts";
import {
  isUnprovisioned,
  type ProvisioningNeeds,
  provisioningRules,
} from "../../../../config/documents/storage/provisioning.ts";
import { userVolume } from "../../../../config/documents/storage/user_volume.ts";
import { type Plain, toTree } from "../../../../config/tree/node.ts";
import { testRules } from "../_rules.ts";

const diskSelector = { match: "!system_disk" };
const wanted = { required: true, sized: true };
const system = { required: false, sized: true };
const wholeDisk = { required: true, sized: false };

const cases: readonly (readonly [
  title: string,
  needs: ProvisioningNeeds,
  value: Plain,
  problems: readonly string[],
])[] = [
  ["a disk and a least size", wanted, { diskSelector, minSize: "1GiB" }, []],
  ["a disk and a largest size", wanted, { diskSelector, maxSize: "50%" }, []],
  ["equal sizes", wanted, { diskSelector, minSize: "1KiB", maxSize: 1024 }, []],
  ["nothing where nothing is wanted", system, {}, []],
  ["a disk alone", wholeDisk, { diskSelector, minSize: "" }, []],
  ["nothing where something is wanted", wanted, {}, [
    'error diskSelector.match: "diskSelector" is missing',
    'error : Neither "minSize" nor "maxSize" is given',
  ]],
  ["an empty selector of disks", wholeDisk, { diskSelector: { match: "" } }, [
    'error diskSelector.match: "diskSelector" is missing',
  ]],
  ["sizes the wrong way round", system, { minSize: "1GB", maxSize: "900MB" }, [
    'error minSize: Minimum size "1GB" is greater than the maximum size "900MB"',
  ]],
  ["sizes for a whole disk", wholeDisk, {
    diskSelector,
    grow: false,
    minSize: "1GB",
    maxSize: "50%",
  }, [
    'error grow: "grow" cannot be used with volume type "disk"',
    'error minSize: "minSize" cannot be used with volume type "disk"',
    'error maxSize: "maxSize" cannot be used with volume type "disk"',
  ]],
];

for (const [title, needs, value, problems] of cases) {
  Deno.test(`provisioningRules finds ${problems.length} problems in ${title}`, () => {
    const found = [...provisioningRules(toCursor(toTree(value)), needs)];
    assert.deepEqual(
      found.map(({ level, path, message }) => `${level} ${path}: ${message}`),
      problems,
    );
  });
}

for (
  const [value, nothing] of [
    [{}, true],
    [{ minSize: "", diskSelector: { match: "" }, grow: null }, true],
    [{ grow: false }, false],
    [{ maxSize: "50%" }, false],
    [{ diskSelector }, false],
  ] as const
) {
  Deno.test(`isUnprovisioned says ${nothing} of ${JSON.stringify(value)}`, () => {
    assert.equal(isUnprovisioned(toCursor(toTree(value))), nothing);
  });
}

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
