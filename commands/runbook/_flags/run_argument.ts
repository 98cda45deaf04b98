/** Arguments for the run and the reason of a command. */

import { UsageError } from "../../../errors.ts";
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
import { type Context, optionalWord, word } from "../../_kit/mod.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { prompter } from "../../../terminal/prompt.ts";
import { shellWord } from "../../../terminal/shell_word.ts";

/** Forms in which a run is named. */
export const runSummary =
  `id of the run, a prefix or suffix of it, or "${lastRun}"`;

/** A required run. */
export const runWord: Argument<string> = word(runSummary, { complete: "runs" });

/** A run; omitted for the only one, the only running or the only unfinished one. */
export const optionalRunWord: Argument<string | undefined> = optionalWord(
  `${runSummary}; default the only running or unfinished run`,
  { complete: "runs" },
);

/** Finds the named run. Throws `ConfigError` if there is none, there are several, or its journal is damaged. */
export async function readNamed(
  named: string | undefined,
  { env }: Pick<Environment, "env">,
  findContext?: () => Promise<string>,
): Promise<ListedRun> {
  const runs = locateRuns(env);
  return await readRun(runs, await findRun(runs, named, findContext));
}

/**
 * A required reason: that of --reason, or one typed on the terminal.
 *
 * @param what Action that requires it: `abort the run`.
 * @param words Words of the command line, for the hint.
 * @param typed Value for --typed if the command also requires that without a terminal.
 * @throws {UsageError} If there is none.
 */
export async function requireReason(
  what: string,
  { words, typed }: {
    readonly words: readonly string[];
    readonly typed?: string | undefined;
  },
  { input, environment, signal }: Pick<
    Context<{ readonly reason: string | undefined }>,
    "input" | "environment" | "signal"
  >,
): Promise<string> {
  if (input.reason) return input.reason;
  const { terminal } = environment.stdin;
  if (terminal) {
    using prompts = prompter({ environment, signal });
    const answer = await prompts.ask(`Reason to ${what}: `);
    if (answer) return answer;
  }
  const line = ["osctl runbook", ...words.map(shellWord), '--reason "…"'];
  throw new UsageError(`Cannot ${what} without --reason`, {
    hint: terminal || typed === undefined
      ? `Type: ${line.join(" ")}`
      : `Without a terminal, type: ${line.join(" ")} --typed ${typed}`,
  });
}
