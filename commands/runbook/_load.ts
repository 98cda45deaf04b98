/** What runbooks are loaded with on the command line. */

import { checks } from "../../workflows/checks/all.ts";
import { modules } from "../../workflows/modules/all.ts";
import { jsonSchema } from "../../workflows/runbooks/load/json_schema.ts";
import type { LoadOptions } from "../../workflows/runbooks/load/load.ts";

/** Where modules and checks are found. */
export function loadOptions(): Promise<LoadOptions> {
  return Promise.resolve({
    find: {
      module: (name) => Promise.resolve(modules.get(name)),
      modules: [...modules.keys()],
      check: (name) => checks.get(name),
      checks: [...checks.keys()],
    },
  });
}

/** The JSON Schema of runbooks as a file. */
export async function schemaText(): Promise<string> {
  const { find } = await loadOptions();
  const all = await Promise.all(find.modules.map(find.module));
  const schema = jsonSchema({
    modules: all.filter((one) => one !== undefined),
    checks: [...checks.values()],
  });
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
