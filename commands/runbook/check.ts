import { ConfigError, UsageError } from "../../errors.ts";
import {
  type LoadOptions,
  loadRunbook,
} from "../../workflows/runbooks/language/loading/load.ts";
import {
  RunbookError,
  type SourceProblem,
  sourceProblemText,
} from "../../workflows/runbooks/language/problem.ts";
import {
  type Command,
  type Context,
  lines,
  rest,
  type Values,
} from "../_kit/mod.ts";
import { loadOptions } from "../_runbook/load_options.ts";

/** A problem. */
interface RunbookProblemRow {
  /** Its file; may be an included one. */
  readonly file: string;
  /** Line, counted from 1; null if the file cannot be read. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** Suggested fix; null if it is obvious. */
  readonly hint: string | null;
}

/** A checked runbook. */
interface CheckRow {
  readonly runbook: string;
  readonly valid: boolean;
  /** Problems, in file order. */
  readonly problems: readonly RunbookProblemRow[];
}

const inputs = {
  runbooks: rest("files, or builtin:<name>", { complete: "runbooks" }),
};

type CheckInputs = Values<typeof inputs>;

export const command = {
  summary: "Check runbooks",
  description:
    `Checks everything that can be checked without a cluster: keys and values, names of modules, checks and groups,
module inputs, expressions and their types, included runbooks, and the safety rules. Problems are reported with file,
line and column on standard error; the status is then 2.`,
  inputs,
  examples: [
    "runbook check upgrade-gpu.runbook.yaml",
    "runbook check *.runbook.yaml builtin:rolling-upgrade -o json",
  ],
  view: lines(({ runbook, valid }) =>
    valid ? `${runbook} is valid` : `${runbook} is not valid`
  ),
  async *run(context) {
    const { input: { runbooks } } = context;
    if (runbooks.length === 0) {
      throw new UsageError("No runbook to check", {
        hint: "Name a file, or builtin:<name>",
      });
    }
    const options = loadOptions(context);
    let wrong = 0;
    // One at a time, to keep the problems of each together.
    for (const runbook of runbooks) {
      const row = await check(runbook, options, context);
      if (!row.valid) wrong++;
      yield row;
    }
    if (wrong > 0) {
      throw new ConfigError(
        runbooks.length === 1
          ? "The runbook is not valid"
          : `${wrong} of ${runbooks.length} runbooks are not valid`,
      );
    }
  },
} satisfies Command<CheckRow, CheckInputs>;

async function check(
  runbook: string,
  options: LoadOptions,
  { note }: Context<CheckInputs>,
): Promise<CheckRow> {
  try {
    await loadRunbook(runbook, options);
    return { runbook, valid: true, problems: [] };
  } catch (error) {
    // An invalid runbook does not stop the check of the others.
    if (error instanceof RunbookError) {
      for (const problem of error.problems) note(sourceProblemText(problem));
      return { runbook, valid: false, problems: error.problems.map(toRow) };
    }
    if (!(error instanceof ConfigError)) throw error;
    const { message, hint = null } = error;
    note(hint === null ? message : `${message} (${hint})`);
    const problem = { file: runbook, line: null, column: null, message, hint };
    return { runbook, valid: false, problems: [problem] };
  }
}

function toRow(
  { place, message, hint = "" }: SourceProblem,
): RunbookProblemRow {
  const { file, line, column } = place;
  return { file, line, column, message, hint: hint === "" ? null : hint };
}
