import {
  wipeDisk,
  type WipeDiskInput,
} from "../../workflows/operations/node/wipe_disk.ts";
import { maintenanceInputs } from "../_kit/node_inputs.ts";
import {
  type AnyCommand,
  choice,
  type Flag,
  InputProblem,
  rest,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { type Change, changing, operateInputs } from "../_kit/operate.ts";

const inputs = {
  devices: {
    ...rest("device names without /dev/", { least: 1 }),
    parse: (words: readonly string[]) => [...new Set(words.map(deviceName))],
  },
  method: methodFlag(),
  dropPartition: toggle("also remove the partitions"),
  skipVolumeCheck: toggle("also wipe volumes", { hidden: true }),
  skipSecondaryCheck: toggle(
    "also wipe devices that other devices are built on",
    {
      hidden: true,
    },
  ),
  ...maintenanceInputs,
  ...operateInputs,
};

export const change = {
  operation: wipeDisk,
  prepare({ devices, method, ...values }) {
    const { dropPartition, skipVolumeCheck, skipSecondaryCheck } = values;
    return {
      input: {
        devices,
        method,
        dropPartition,
        skipVolumeCheck,
        skipSecondaryCheck,
      },
    };
  },
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Wipe disks or partitions that are not in use",
  description:
    `Shows the data that will be lost and asks for confirmation before anything is sent. Waits until the node no longer
finds any data on the devices. "FAST" removes signatures and partition tables, "ZEROES" overwrites everything, which
takes a long time. A node refuses devices that are volumes, or that other devices are built on.`,
  inputs,
  examples: [
    "wipe disk vdb --nodes 10.0.0.5",
    "wipe disk sda5 sda6 --drop-partition --nodes 10.0.0.5",
    "wipe disk vdb --method ZEROES --timeout 6h --insecure --yes --nodes 10.0.0.5",
  ],
  ...changing,
};

function methodFlag(): Flag<WipeDiskInput["method"]> {
  const flag = choice("wipe method", ["FAST", "ZEROES"], { initial: "FAST" });
  return {
    ...flag,
    parse: (text, before) => flag.parse(text.toUpperCase(), before),
  };
}

function deviceName(word: string): string {
  const name = word.replace(/^\/dev\//, "");
  if (/^[^/\s]+$/.test(name)) return name;
  throw new InputProblem(`"${word}" is not a device name such as vda or sda5`);
}
