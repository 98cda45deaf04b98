/** Steps that are a part of what a command can do, under names of their own. */

import type { Json } from "../../workflows/operations/operation.ts";
import type { Fields } from "../../workflows/runbooks/field.ts";
import type { CommandModule } from "../../workflows/runbooks/module.ts";

/** Which part of a command a step is. */
export interface ShortStep {
  /** The command as a step: `applyConfig`. */
  readonly command: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /** Inputs of the command by the names they have here. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Inputs, as named here, that have to be given. */
  readonly required: readonly string[];
  /** What the command is given besides. */
  readonly fixed: Readonly<Record<string, Json>>;
}

/** Inputs of both commands that give configurations. */
const applying = {
  mode: "mode",
  check: "check",
  trial: "timeout",
  validate: "validate",
  node: "node",
} as const;

/** Steps of this kind by name. */
export const shortSteps: ReadonlyMap<string, ShortStep> = new Map([
  ["config.apply", {
    command: "applyConfig",
    summary: "Give a node a configuration",
    inputs: { file: "file", patches: "configPatch", ...applying },
    required: ["file"],
    fixed: {},
  }],
  ["config.patch", {
    command: "patch",
    summary: "Change the configuration of a node by a patch",
    inputs: { file: "patchFile", ...applying },
    required: ["file"],
    fixed: { type: "machineconfig" },
  }],
  ["upgrade.legacy", {
    command: "upgrade",
    summary: "Upgrade a node by the call that installs and restarts",
    inputs: { image: "image", mode: "rebootMode", node: "node" },
    required: ["image"],
    // These nodes drain themselves.
    fixed: { drain: false },
  }],
]);

/**
 * Makes such a step.
 *
 * @param name Its name.
 * @param module The command as a step.
 * @param short Which part of it.
 */
export function shortened(
  name: string,
  module: CommandModule,
  { summary, inputs, required, fixed }: ShortStep,
): CommandModule {
  const fields = Object.entries(inputs).flatMap(([here, there]) => {
    const field = module.input[there];
    if (field === undefined) return [];
    const must = required.includes(here) ? { required: true } : {};
    return [[here, { ...field, ...must }] as const];
  });
  const input: Fields = Object.fromEntries(fields);
  return {
    ...module,
    name,
    summary,
    input,
    run: (site, given, perform) => {
      const renamed = Object.entries(given).map(([here, value]) =>
        [inputs[here] ?? here, value] as const
      );
      const all = { ...Object.fromEntries(renamed), ...fixed };
      return module.run(site, all, perform);
    },
  };
}
