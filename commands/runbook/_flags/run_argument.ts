/** Arguments for the run and the reason of a command. */

import { ConfigError, UsageError } from "../../../errors.ts";
import { locateRuns } from "../../../config/osconfig/location.ts";
import {
  findRun,
  lastRun,
} from "../../../workflows/runbooks/store/find_run.ts";
import {
  type ListedRun,
  readRun,
} from "../../../workflows/runbooks/store/run_folder.ts";
import type { Argument } from "../../_kit/inputs.ts";
import {
  type ConfigRequest,
  currentOsconfig,
} from "../../_session/osconfig.ts";
import { optionalWord, word } from "../../_kit/mod.ts";
import type { Environment } from "../../../terminal/environment.ts";

const summary = `id of the run, a prefix or suffix of it, or "${lastRun}"`;

/** A required run. */
export const runWord: Argument<string> = word(summary, { complete: "runs" });

/** A run; omitted for the only one, the only running or the only unfinished one. */
export const optionalRunWord: Argument<string | undefined> = optionalWord(
  `${summary}; default the only running or unfinished run`,
  { complete: "runs" },
);

/** Finds the name of the context of a command, to prefer its runs; empty if the client configuration cannot be read. */
export function contextFinder(
  { globals, environment }: ConfigRequest,
): () => Promise<string> {
  return async () => {
    if (globals.context) return globals.context;
    try {
      return (await currentOsconfig({ globals, environment })).config.current;
    } catch (error) {
      if (error instanceof ConfigError) return "";
      throw error;
    }
  };
}

/** Finds the named run. Throws `ConfigError` if there is none, there are several, or its journal is damaged. */
export async function readNamed(
  named: string | undefined,
  { env }: Pick<Environment, "env">,
  findContext?: () => Promise<string>,
): Promise<ListedRun> {
  const runs = locateRuns(env);
  return await readRun(runs, await findRun(runs, named, findContext));
}

/** A required reason. `what`: the action that requires it. Throws `UsageError` if there is none. */
export function requiredReason(
  reason: string | undefined,
  what: string,
): string {
  if (reason) return reason;
  throw new UsageError(`Cannot ${what} without --reason`, {
    hint: "The reason is recorded with the run",
  });
}
