import { upgradeInstall } from "../../workflows/operations/upgrade/install.ts";
import type { AnyCommand, Values } from "../_kit/mod.ts";
import { type Change, changing, operateInputs } from "../_kit/operate.ts";
import { allowInput, imageInputs, upgradeInput } from "../_upgrade_inputs.ts";

const inputs = { ...imageInputs, ...operateInputs, allow: allowInput };

export const change = {
  operation: upgradeInstall,
  prepare: (values) => ({
    input: upgradeInput(values, { allow: values.allow }),
  }),
  safeAfter: false,
  // The next boot starts the new installation; until then no fact changes.
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Install another version without rebooting",
  description:
    `The next boot starts the installed version; until then nothing changes. Needs v1.13 or newer: older nodes reboot as
part of the upgrade and are refused. A node is installed only once per boot, because a second installation would
overwrite the system to roll back to.`,
  inputs,
  examples: ["upgrade install --nodes @workers --to v1.13.1"],
  ...changing,
};
