/** Steps that are a part of what a command can do, under names of their own. */

import type { Fields } from "../../workflows/runbooks/field.ts";
import type { CommandModule } from "../../workflows/runbooks/module.ts";
import type { ShortStep } from "../_kit/command.ts";

/** Makes such a step. */
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
