import type { Command } from "../_kit/mod.ts";
import { genConfigCommand } from "../_gen_config/definition.ts";
import type { GenConfigInputs } from "../_gen_config/inputs.ts";

/** `osctl machineconfig gen`: `osctl gen config` by another name. */
export const command: Command<Uint8Array, GenConfigInputs> = genConfigCommand(
  "machineconfig gen",
);
