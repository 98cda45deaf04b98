import { formatExpected } from "../../workflows/runbooks/language/field_value.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import {
  makeOutline,
  type OutlineStep,
} from "../../workflows/runbooks/language/walk.ts";
import type { Json } from "../../lib/json.ts";
import type {
  NodeGroup,
  RunbookInput,
} from "../../workflows/runbooks/runbook.ts";
import {
  type Command,
  layOut,
  textual,
  toggle,
  type Values,
  type View,
  word,
} from "../_kit/mod.ts";
import { loadOptions } from "../_runbook/load_options.ts";

/** An input of a runbook. */
interface InputRow {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Default value; null if there is none. */
  readonly default: Json;
  /** True if it may change on resume. */
  readonly mutable: boolean;
  readonly expected: string;
  /** One-line description; empty if it has none. */
  readonly description: string;
}

/** A runbook in detail. */
interface ShownRow {
  readonly runbook: string;
  readonly name: string;
  readonly title: string;
  /** Markdown; null if it has none. */
  readonly docs: string | null;
  readonly per: "cluster" | "node";
  /** Inputs, in file order. */
  readonly inputs: readonly InputRow[];
  /** Node groups, in file order. */
  readonly groups: readonly {
    readonly name: string;
    readonly nodes: string;
  }[];
  /** Overridden safety rules. */
  readonly overrides: readonly string[];
  /** Steps, each followed by its nested steps. */
  readonly steps: readonly OutlineStep[];
  /** Source files with their SHA-256. */
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
  }[];
  readonly source: string;
}

const inputs = {
  runbook: word("file, or builtin:<name>", { complete: "runbooks" }),
  source: toggle("print the runbook's source"),
};

export const command = {
  summary: "Show a runbook",
  description:
    `Shows its documentation, inputs, groups and steps. Use --source to print the file as a starting point for your own.`,
  inputs,
  examples: [
    "runbook show builtin:rolling-upgrade",
    "runbook show builtin:rolling-upgrade --source",
  ],
  view: (input): View<ShownRow> =>
    textual(input.source ? ({ source }) => source : describe),
  async *run(context) {
    const { input } = context;
    const { runbook, files } = await loadRunbook(
      input.runbook,
      loadOptions(context),
    );
    yield {
      runbook: input.runbook,
      name: runbook.name,
      title: runbook.title,
      docs: runbook.docs ?? null,
      per: runbook.per,
      inputs: Object.entries(runbook.inputs).map(inputRow),
      groups: Object.entries(runbook.groups).map(([name, group]) => ({
        name,
        nodes: formatNodes(group),
      })),
      overrides: runbook.policy.allow.map(({ rule }) => rule),
      steps: makeOutline(runbook),
      files: files.map(({ path, sha256 }) => ({ path, sha256 })),
      source: files[0]?.text ?? "",
    };
  },
} satisfies Command<ShownRow, Values<typeof inputs>>;

function inputRow([name, input]: readonly [string, RunbookInput]): InputRow {
  return {
    name,
    type: input.type,
    required: input.required ?? false,
    default: input.initial ?? null,
    mutable: input.mutable ?? false,
    expected: formatExpected(input),
    description: input.summary,
  };
}

function formatNodes(group: NodeGroup): string {
  const { role, names, labels, where, from, union, except, take } = group;
  const labelled = Object.entries(labels ?? {}).map((pair) => pair.join("="));
  const words = [
    ...(take === undefined ? [] : [`the first ${take} of the`]),
    role === undefined ? "nodes" : `${role} nodes`,
    ...(names === undefined ? [] : [`named ${formatValue(names)}`]),
    ...(from === undefined ? [] : [`in ${from}`]),
    ...(union === undefined ? [] : [`in ${union.join(" or ")}`]),
    ...(labelled.length === 0 ? [] : [`labelled ${labelled.join(", ")}`]),
    ...(where === undefined ? [] : [`where ${where}`]),
    ...(except.length === 0 ? [] : [`but not in ${except.join(" or ")}`]),
  ];
  const order = group.order.length === 0
    ? "as listed"
    : `by ${group.order.join(", ")}`;
  return `${words.join(" ")}, ${order}`;
}

function formatValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function describe(row: ShownRow): string {
  const { name, per, title, docs, inputs, groups, overrides, steps } = row;
  const part = per === "node" ? " (for use in a forEach)" : "";
  return [
    `${name}${part}: ${title}\n`,
    ...(docs === null ? [] : [`${docs.trimEnd()}\n`]),
    ...section("Inputs", inputs.map(inputCells)),
    ...section("Nodes", groups.map(({ name, nodes }) => [name, nodes])),
    ...(overrides.length === 0 ? [] : [`Overrides: ${overrides.join(", ")}\n`]),
    ...section("Steps", steps.map(stepCells)),
  ].join("\n");
}

function section(
  heading: string,
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const indented = rows.map(([first = "", ...rest]) => [`  ${first}`, ...rest]);
  return [`${heading}:\n${layOut(indented, { gap: 2 }).text}`];
}

function inputCells(input: InputRow): readonly string[] {
  const value = input.required
    ? "required"
    : input.default === null
    ? ""
    : formatValue(input.default);
  return [input.name, input.type, value, input.description];
}

function stepCells(
  { path, does, title, when, part }: OutlineStep,
): readonly string[] {
  const ids = path.split("/");
  const indent = "  ".repeat(ids.length - 1);
  const mark = part === "steps" ? "" : ` (${part})`;
  const condition = when === null ? "" : `, when ${when}`;
  const rest = title === null ? "" : title;
  return [`${indent}${ids.at(-1)}${mark}`, `${does}${condition}`, rest];
}
