import { diskRules } from "../../../config/rules/disks.ts";
import { testRules } from "./_rules.ts";

testRules("diskRules", diskRules, [
  [
    "takes a last partition without a size",
    "machine: {disks: [{device: /dev/sdb, partitions: [{size: 5 GB}, {mountpoint: /var/a}]}]}",
    [],
  ],
  ["refuses null", "machine: {disks: [~]}", [
    "error machine.disks[0]: A disk is empty",
  ]],
  [
    "refuses other partitions without a size",
    "machine: {disks: [{device: /dev/sdb, partitions: [{size: 0GB}, ~, {size: 1}]}]}",
    [
      'error machine.disks[0].partitions[0].size: Partition 1 of disk "/dev/sdb" takes the rest of the disk but is not the last',
      'error machine.disks[0].partitions[1]: A partition of disk "/dev/sdb" is empty',
    ],
  ],
]);
