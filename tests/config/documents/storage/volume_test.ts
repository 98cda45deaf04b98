import { volume } from "../../../../config/documents/storage/volume.ts";
import { testRules } from "../_rules.ts";

testRules(volume, [
  {
    title: "volumes of the system may say nothing",
    value: { name: "IMAGECACHE" },
    problems: [],
  },
  {
    title: "other volumes have kinds of their own",
    value: { name: "state" },
    problems: ['name: Volume "state" is not a system volume'],
  },
  {
    title: "STATE is where it is",
    value: { name: "STATE", provisioning: { grow: false } },
    problems: ['provisioning: Volume "STATE" cannot be moved or resized'],
  },
  {
    title: "STATE may be encrypted, but not be locked to itself",
    value: {
      name: "STATE",
      provisioning: {},
      encryption: {
        provider: "luks2",
        keys: [
          { slot: 0, tpm: {}, lockToState: false },
          { slot: 1, tpm: {}, lockToState: true },
        ],
      },
    },
    problems: [
      'encryption.keys[1].lockToState: Volume "STATE" cannot be bound to itself',
    ],
  },
  {
    title: "EPHEMERAL may be locked to STATE, moved and resized",
    value: {
      name: "EPHEMERAL",
      provisioning: { maxSize: "80%" },
      encryption: {
        provider: "luks2",
        keys: [{ slot: 0, tpm: {}, lockToState: true }],
      },
    },
    problems: [],
  },
  {
    title: "sizes and encryption are checked",
    value: {
      name: "EPHEMERAL",
      provisioning: { minSize: "2GiB", maxSize: "1GiB" },
      encryption: { provider: "luks2" },
    },
    problems: [
      'provisioning.minSize: Minimum size "2GiB" is greater than the maximum size "1GiB"',
      'encryption.keys: Encryption "luks2" has no keys',
    ],
  },
]);
