import { metaDelete } from "../../workflows/operations/node/meta.ts";
import { actInputs, type Change, changing } from "../_kit/operate.ts";
import { maintenanceInputs } from "../_kit/node_inputs.ts";
import type { AnyCommand, Values } from "../_kit/mod.ts";
import { keyArgument } from "./_key.ts";

const inputs = {
  key: keyArgument,
  ...maintenanceInputs,
  ...actInputs("30s"),
};

export const change = {
  operation: metaDelete,
  prepare: ({ key }) => ({ input: { key } }),
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Delete a value of the META partition",
  description: `A node that does not have the key is skipped.`,
  inputs,
  examples: ["meta delete 0x0a --nodes 10.0.0.5"],
  ...changing,
};
