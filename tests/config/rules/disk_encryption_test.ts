import { diskEncryptionRules } from "../../../config/rules/disk_encryption.ts";
import { testRules } from "./_rules.ts";

const place = "machine.systemDiskEncryption";

function partitions(text: string): string {
  return `machine: {systemDiskEncryption: ${text}}`;
}

testRules("diskEncryptionRules", diskEncryptionRules, [
  [
    "takes keys in slots of their own",
    partitions(
      "{state: {keys: [{nodeID: {}, slot: 0}, {tpm: {}, slot: 1}]}, ephemeral: {keys: [{static: {}, slot: 0}, {kms: {}, slot: 1}]}}",
    ),
    [],
  ],
  ["wants keys", partitions("{state: {}, ephemeral: {keys: []}}"), [
    `error ${place}.state.keys: "keys" is missing`,
    `error ${place}.ephemeral.keys: "keys" is missing`,
  ]],
  [
    "refuses two keys in one slot",
    partitions("{state: {keys: [{nodeID: {}}, {tpm: {}, slot: 0}]}}"),
    [
      `error ${place}.state.keys[1].slot: Two keys of partition "state" are in slot 0`,
    ],
  ],
  [
    "wants sources",
    partitions("{ephemeral: {keys: [{slot: 1, nodeID: ~}, ~]}}"),
    [
      `error ${place}.ephemeral.keys[0]: A key of partition "ephemeral" has no source`,
      `error ${place}.ephemeral.keys[1]: A key of partition "ephemeral" has no source`,
    ],
  ],
]);
