import assert from "node:assert/strict";
import {
  byteSize,
  diskSize,
  sizeCondition,
  sizeOrPercent,
} from "../../../../config/documents/scalars/size.ts";
import {
  assertKept,
  assertReadings,
  assertRefused,
  fits,
  reading,
} from "../_parse_cases.ts";

const sizes = [
  ...["0", "10", "1k", "1K", "1kB", "1KiB", "1Ki", "10GiB", "10 GiB", "1.5GB"],
  ...[".5g", "1.", "1,000", "1,0,0 b", "1B", "15EiB", "10  gib ", "5e"],
];

const noSizes = [
  ...[
    "+1",
    "--1",
    "1e3",
    "0x10",
    "1x",
    "1i",
    "1ib",
    "1kibb",
    ".",
    ",",
    "1.2.3",
  ],
  ...['" 10"', "GB", "16EiB", "20eb", "18446744073709551616"],
];

Deno.test("sizes are written as they were read", () => {
  assertKept(byteSize, ["", ...sizes]);
  assertKept(sizeOrPercent, ["", ...sizes]);
  assertKept(byteSize, ["-10GiB"]);
  assertKept(sizeOrPercent, ["-10GiB", "-10%"]);
  for (const size of sizes) assert.ok(fits(byteSize, size), size);
});

Deno.test("sizes: refuses other texts", () => {
  assertRefused(byteSize, [...noSizes, "5%"]);
  assertRefused(sizeOrPercent, noSizes);
  assert.equal(reading(byteSize, "10x"), 'fault: "10x" is not a size');
});

Deno.test("percentages go from 0 to 100", () => {
  const shares = ["0%", "5%", "50%", "100%", "1.5%", ".5%", "5.%", "+5%"];
  assertKept(sizeOrPercent, [...shares, "1e1%"]);
  for (const share of shares) assert.ok(fits(sizeOrPercent, share), share);
  assertRefused(sizeOrPercent, ["101%", "100.1%", "1e3%", "--1%", "%", "5 %"]);
  assertRefused(sizeOrPercent, ["%5", "5%%", "5% ", "nan%", "-", "1_0%"]);
});

Deno.test("sizes of partitions are written for people where that is exact", () => {
  assertReadings(diskSize, [
    ["100GB", '"100 GB"'],
    ["0", '"0 B"'],
    ["1000", '"1.0 kB"'],
    ["1500k", '"1.5 MB"'],
    ["10000000", '"10 MB"'],
    ["1000000000", '"1.0 GB"'],
    ["2TB", '"2.0 TB"'],
    ["1GiB", "1073741824"],
    ["9", "9"],
    ["999", "999"],
    ["1001", "1001"],
    ["12.5GB", "12500000000"],
    ["1234GB", "1234000000000"],
  ]);
  assertRefused(diskSize, [...noSizes, '""']);
});

Deno.test("conditions without a size or with another sign are refused", () => {
  assertRefused(sizeCondition, ['""', ">", "=5", "=> 5", "<>5", ">>5", "abc"]);
  assertRefused(sizeCondition, ["5 >", "== ==5", ">= 5GBx", '"1\nk"']);
});
