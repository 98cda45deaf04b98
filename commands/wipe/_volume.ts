/** Inputs and change of the commands that remove LVM objects and arrays. */

import {
  type VolumeKind,
  type WipeVolumeInput,
  wipeVolumes,
} from "../../workflows/operations/node/wipe_volume.ts";
import { type Argument, InputProblem, word } from "../_kit/mod.ts";
import { maintenanceInputs } from "../_kit/node_inputs.ts";
import { type Change, operateInputs } from "../_kit/operate.ts";

/** Inputs of such a command. */
export const volumeInputs = {
  ...maintenanceInputs,
  ...operateInputs,
};

/**
 * Argument that names one object.
 *
 * @param form Accepted names.
 * @param example Such a name, for the error.
 */
export function volumeArgument(
  summary: string,
  form: RegExp,
  example: string,
): Argument<string> {
  return {
    ...word(summary),
    parse([name = ""]) {
      if (form.test(name)) return name;
      throw new InputProblem(`must be ${example}`);
    },
  };
}

/** The change of such a command. */
export const volumeChange = (kind: VolumeKind): Change<WipeVolumeInput> => ({
  operation: wipeVolumes[kind],
  prepare: ({ name }) => ({ input: { name } }),
});
