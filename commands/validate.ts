import { loadDocuments } from "../config/documents/load.ts";
import { faultText, placeText } from "../config/documents/refusal.ts";
import { osVersionOf, parseContract } from "../config/generate/contract.ts";
import type { RuntimeMode } from "../config/rules/context.ts";
import { validateDocuments } from "../config/validate.ts";
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
} from "./_kit/mod.ts";
import { readConfiguration } from "./_kit/patches.ts";

/** Inputs of the command. */
export interface ValidateInputs {
  /** Files as arguments. */
  readonly files: readonly string[];
  /** `--config`. */
  readonly config: readonly string[];
  /** `--mode`. */
  readonly mode: RuntimeMode;
  /** `--strict`. */
  readonly strict: boolean;
  /** `--os-version`. */
  readonly osVersion: string | undefined;
}

/** One thing that is wrong, or probably not meant. */
export interface ProblemRow {
  /** Warnings leave the file valid, unless `--strict` was given. */
  readonly level: "error" | "warning";
  /** Which document of the file, counted from 1. */
  readonly document: number;
  /** Its kind, or kind/name; empty when it has none. */
  readonly identity: string;
  /** Line, counted from 1; null when the problem has no place. */
  readonly line: number | null;
  /** Column, counted from 1. */
  readonly column: number | null;
  /** Keys and indices from the root of the document. */
  readonly path: string;
  /** What is wrong. */
  readonly message: string;
  /** What would be right; null when that is plain. */
  readonly hint: string | null;
}

/** One file. */
export interface ValidityRow {
  /** Path, or `standard input`. */
  readonly file: string;
  /** Where the configuration will be used. */
  readonly mode: RuntimeMode;
  /** Whether a node would accept it. */
  readonly valid: boolean;
  /** What was found, in the order of the file. */
  readonly problems: readonly ProblemRow[];
}

/** `osctl validate`: whether a node would accept a configuration. */
export const command: Command<ValidityRow, ValidateInputs> = {
  summary: "Check machine configurations",
  description:
    `Keys, types, values and their combinations are checked without a node. What only a node can tell is not: whether disks,
network interfaces, PCI devices and addresses exist, whether selectors find something, whether images can be pulled,
endpoints reached and extensions installed, and whether certificates fit those of the cluster.

Mistakes are told with file, line, column and key on standard error; warnings count as mistakes with --strict. The
status is 2 when a file is not valid.`,
  section: "configuration",
  inputs: {
    files: rest('configurations to check, "-" for standard input', {
      complete: "files",
    }),
    config: stringArray("configuration to check", {
      short: "c",
      complete: "files",
    }),
    mode: requiredChoice(
      "where it will be used",
      ["metal", "cloud", "container", "metal-agent"],
      { short: "m" },
    ),
    strict: toggle("take warnings for errors"),
    osVersion: text("version of the operating system that has to know it"),
  },
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
    const { input: { files, config } } = context;
    const paths = [...config, ...files];
    if (paths.length === 0) {
      throw new UsageError("No configuration to check", {
        hint: "Give it with --config",
      });
    }
    let wrong = 0;
    // One after the other, so that problems of one file stay together.
    for (const path of paths) {
      const row = await check(path, context);
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
};

async function check(
  path: string,
  context: Context<ValidateInputs>,
): Promise<ValidityRow> {
  const { input: { mode, strict, osVersion }, note } = context;
  const source = await readConfiguration(path, context);
  const loaded = loadDocuments(source.text, source.name);
  const problems = validateDocuments(loaded, {
    mode,
    ...(osVersion === undefined
      ? {}
      : { osVersion: osVersionOf(parseContract(osVersion)) }),
  });
  for (const number of loaded.empty) {
    note(`${source.name}: document ${number} is empty`);
  }
  for (const problem of problems) {
    const { identity, level } = problem;
    const word = level === "warning" && !strict ? "WARNING" : "error";
    const within = identity === "" ? "" : `${identity}: `;
    note(`${placeText(problem)}${word}: ${within}${faultText(problem)}`);
  }
  return {
    file: source.name,
    mode,
    valid: problems.every(({ level }) => level === "warning" && !strict),
    problems: problems.map((problem) => ({
      level: problem.level,
      document: problem.document,
      identity: problem.identity,
      line: problem.at?.line ?? null,
      column: problem.at?.column ?? null,
      path: problem.path,
      message: problem.message,
      hint: problem.hint ?? null,
    })),
  };
}
