/** What runbooks are loaded with on the command line. */

import {
  locateRunbookPolicies,
  locateTrust,
} from "../../config/osconfig/location.ts";
import { buildDocument } from "../../workflows/runbooks/language/typescript/build.ts";
import { checks } from "../../workflows/checks/all.ts";
import { jsonSchema } from "../../workflows/runbooks/language/json_schema.ts";
import type { LoadOptions } from "../../workflows/runbooks/language/load.ts";
import type { Finders } from "../../workflows/runbooks/language/lookup.ts";
import type { Environment } from "../_kit/mod.ts";
import { findModule, moduleNames, whyNoStep } from "./_modules.ts";

/** Where modules and checks are found. */
export const finders: Finders = {
  module: findModule(),
  modules: moduleNames,
  whyNoModule: whyNoStep,
  check: (name) => checks.get(name),
  checks: [...checks.keys()],
};

/**
 * What runbooks are loaded with; programs are called when they are trusted.
 *
 * @param environment Environment, which says where trust is kept.
 */
export function loadOptions({ env }: Pick<Environment, "env">): LoadOptions {
  return {
    find: finders,
    build: (path, text) =>
      buildDocument(path, text, {
        trusted: locateTrust(env),
        policies: locateRunbookPolicies(env),
      }),
  };
}

/** The JSON Schema of runbooks as a file. */
export async function schemaText(): Promise<string> {
  const all = await Promise.all(finders.modules.map(finders.module));
  const schema = jsonSchema({
    modules: all.filter((one) => one !== undefined),
    checks: [...checks.values()],
  });
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
