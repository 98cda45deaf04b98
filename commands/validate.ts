import {
  type DocumentProblem,
  loadDocuments,
} from "../config/documents/load.ts";
import { faultText } from "../config/documents/problem.ts";
import type { OsVersion } from "../config/documents/schema.ts";
import { parseContract, toOsVersion } from "../config/generate/contract.ts";
import type { RuntimeMode } from "../config/rules/context.ts";
import { unsupportedKubernetes } from "../config/kubernetes_fit.ts";
import { validateDocuments } from "../config/validate.ts";
import { MisreadError } from "../lib/text/text_position.ts";
import { ConfigError, UsageError } from "../errors.ts";
import {
  type Command,
  type Context,
  lines,
  requiredChoice,
  rest,
  stringArray,
  text,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { readConfiguration } from "./_configure/source.ts";

/** An error or a warning. */
interface ProblemRow {
  /** Warnings leave the file valid, except with `--strict`. */
  readonly level: "error" | "warning";
  /** Index of the document in the file, counted from 1; null if the file cannot be read. */
  readonly document: number | null;
  /** Kind, or kind/name; empty if it has none. */
  readonly identity: string;
  /** Line, counted from 1; null if unknown. */
  readonly line: number | null;
  readonly column: number | null;
  /** Keys and indices from the root of the document. */
  readonly path: string;
  readonly message: string;
  /** Suggested fix; null if it is obvious. */
  readonly hint: string | null;
}

interface ValidityRow {
  /** Path, or `standard input`. */
  readonly file: string;
  /** Target platform mode of the configuration. */
  readonly mode: RuntimeMode;
  /** True if a node would accept it. */
  readonly valid: boolean;
  /** Problems, in file order; an unreadable file is one problem. */
  readonly problems: readonly ProblemRow[];
}

/** Limit for the problems of a file shown next to the table; rows have all of them. */
const mostShown = 100;

const inputs = {
  files: rest("configuration files to check; - for standard input", {
    complete: "yaml",
    dash: true,
  }),
  config: stringArray("configuration to check", {
    short: "c",
    complete: "yaml",
    dash: true,
  }),
  mode: requiredChoice(
    "where the configuration will be used",
    ["metal", "cloud", "container", "metal-agent"],
    { short: "m" },
  ),
  strict: toggle("treat warnings as errors"),
  osVersion: text("operating system version it must be valid for"),
};

type ValidateInputs = Values<typeof inputs>;

export const command = {
  summary: "Validate machine configurations",
  description:
    `Checks keys, types, values and their combinations without a node. Facts of nodes are not checked: whether
disks, network interfaces, PCI devices and addresses exist, whether selectors match, whether images can be pulled,
endpoints reached and extensions installed, and whether certificates match those of the cluster.

Errors are reported with file, line, column and key on standard error; --strict treats warnings as errors. The status
is 2 if a file is not valid.`,
  section: "configuration",
  inputs,
  examples: [
    "validate --config controlplane.yaml --mode metal",
    "validate *.yaml --mode cloud --strict -o json",
  ],
  view: lines(({ file, mode, valid }) =>
    valid
      ? `${file} is valid for ${mode} mode`
      : `${file} is not valid for ${mode} mode`
  ),
  async *run(context) {
    const { input: { files, config, osVersion } } = context;
    const paths = [...config, ...files];
    if (paths.length === 0) {
      throw new UsageError("No configuration to check", {
        hint: "Give it with --config",
      });
    }
    if (paths.indexOf("-") !== paths.lastIndexOf("-")) {
      throw new UsageError("Standard input is used twice", {
        hint: "Use - only once",
      });
    }
    const version = osVersion === undefined
      ? undefined
      : toOsVersion(parseContract(osVersion));
    let wrong = 0;
    // One at a time, to keep the problems of each file together.
    for (const path of paths) {
      const row = await check(path, version, context);
      if (!row.valid) wrong++;
      yield row;
    }
    if (wrong > 0) {
      throw new ConfigError(
        paths.length === 1
          ? "The configuration is not valid"
          : `${wrong} of ${paths.length} configurations are not valid`,
      );
    }
  },
} satisfies Command<ValidityRow, ValidateInputs>;

async function check(
  path: string,
  osVersion: OsVersion | undefined,
  context: Context<ValidateInputs>,
): Promise<ValidityRow> {
  const { input: { mode, strict } } = context;
  const file = path === "-" ? "standard input" : path;
  const problems = await findProblems(path, osVersion, context);
  printProblems(file, problems, context);
  const valid = problems.every(({ level }) => level === "warning" && !strict);
  return { file, mode, valid, problems };
}

async function findProblems(
  path: string,
  osVersion: OsVersion | undefined,
  context: Context<ValidateInputs>,
): Promise<readonly ProblemRow[]> {
  const { input: { mode }, note } = context;
  try {
    const { text, name } = await readConfiguration(path, context);
    const loaded = loadDocuments(text, name);
    if (loaded.empty.length > 0) note(`${name}: ${emptyText(loaded.empty)}`);
    const found = validateDocuments(loaded, {
      mode,
      source: text,
      osVersion,
    });
    const unfit = osVersion === undefined
      ? []
      : unsupportedKubernetes(loaded.documents, osVersion);
    return [...found, ...unfit].map(toRow);
  } catch (error) {
    // An unreadable file does not stop the validation of the others.
    if (error instanceof ConfigError) return [unreadable(error)];
    throw error;
  }
}

function toRow({ at, ...problem }: DocumentProblem): ProblemRow {
  return {
    level: problem.level,
    document: problem.document,
    identity: problem.identity,
    line: at?.line ?? null,
    column: at?.column ?? null,
    path: problem.path,
    message: problem.message,
    hint: problem.hint ?? null,
  };
}

function unreadable(error: ConfigError): ProblemRow {
  const at = error instanceof MisreadError ? error.at : undefined;
  return {
    level: "error",
    document: null,
    identity: "",
    line: at?.line ?? null,
    column: at?.column ?? null,
    path: "",
    message: error instanceof MisreadError
      ? `Cannot read it: ${error.fault}`
      : error.message,
    hint: error.hint ?? null,
  };
}

function emptyText(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10);
  const more = numbers.length - shown.length;
  const list = shown.join(", ") + (more === 0 ? "" : ` and ${more} more`);
  return numbers.length === 1
    ? `document ${list} is empty`
    : `documents ${list} are empty`;
}

/** Prints the problems of a file, one per line. */
function printProblems(
  file: string,
  problems: readonly ProblemRow[],
  { input: { strict }, note }: Context<ValidateInputs>,
): void {
  for (const problem of problems.slice(0, mostShown)) {
    const { level, identity, line, column, path, message, hint } = problem;
    const place = line === null ? file : `${file}:${line}:${column}`;
    const word = level === "warning" && !strict ? "warning" : "error";
    const within = identity === "" ? "" : `${identity}: `;
    const fault = faultText({
      path,
      message,
      ...(hint === null ? {} : { hint }),
    });
    note(`${place}: ${word}: ${within}${fault}`);
  }
  const more = problems.length - mostShown;
  if (more > 0) note(`${file}: ${more} more; use -o json to see all`);
}
