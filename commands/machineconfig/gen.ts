import type { Command } from "../_kit/mod.ts";
import { genConfigCommand } from "../_gen_config/definition.ts";
import type { GenConfigInputs } from "../_gen_config/inputs.ts";

export const command: Command<Uint8Array, GenConfigInputs> = genConfigCommand(
  "machineconfig gen",
);
