import { metaWrite } from "../../workflows/operations/meta.ts";
import { act, type ActInputs, actInputs } from "../_kit/act.ts";
import {
  type MaintenanceInputs,
  maintenanceInputs,
} from "../_kit/maintenance.ts";
import { type Command, word } from "../_kit/mod.ts";
import { type OutcomeRow, outcomeView } from "../_kit/operate.ts";
import { keyArgument } from "./_key.ts";

/** What the command does to a node. */
export const operation: typeof metaWrite = metaWrite;

/** Inputs of the command. */
export interface WriteInputs extends ActInputs, MaintenanceInputs {
  /** Argument `key`, 0 to 255. */
  readonly key: number;
  /** Argument `value`. */
  readonly value: string;
}

/** `osctl meta write`: writes a value of the META partition. */
export const command: Command<OutcomeRow, WriteInputs> = {
  summary: "Write a value of the META partition",
  description: `Nothing is sent to a node that has the value already.`,
  inputs: {
    key: keyArgument,
    value: word("value to write"),
    ...maintenanceInputs,
    ...actInputs("30s"),
  },
  examples: [
    "meta write 0x0a '{\"addresses\": []}' --nodes 10.0.0.5",
    "meta write 12 abc --insecure --nodes 10.0.0.5",
  ],
  view: outcomeView,
  run: (context) => {
    const { key, value } = context.input;
    return act(context, { operation, input: { key, value } });
  },
};
