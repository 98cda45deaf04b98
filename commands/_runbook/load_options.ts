/** Options for loading runbooks on the command line. */

import {
  locateRunbookPolicies,
  locateTrust,
} from "../../config/osconfig/location.ts";
import { buildDocument } from "../../workflows/runbooks/language/typescript/build.ts";
import { checks } from "../../workflows/checks/all.ts";
import { jsonSchema } from "../../workflows/runbooks/language/json_schema.ts";
import type { LoadOptions } from "../../workflows/runbooks/language/loading/load.ts";
import type { Context, IndexEntry } from "../_kit/command.ts";
import { makeFinders } from "./finders.ts";

/**
 * Options for loading runbooks; TypeScript runbooks must be trusted.
 *
 * @param context All commands, and the environment, which locates the trust file.
 */
export function loadOptions(
  { commands, environment: { env } }: Pick<
    Context<unknown>,
    "commands" | "environment"
  >,
): LoadOptions {
  return {
    find: makeFinders(commands),
    build: (path, text) =>
      buildDocument(path, text, {
        trusted: locateTrust(env),
        policies: locateRunbookPolicies(env),
      }),
  };
}

/** The JSON Schema of runbooks as a file. */
export async function schemaText(
  commands: readonly IndexEntry[],
): Promise<string> {
  const finders = makeFinders(commands);
  const all = await Promise.all(finders.modules.map(finders.module));
  const schema = jsonSchema({
    modules: all.filter((one) => one !== undefined),
    checks: [...checks.values()],
  });
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
