import {
  type Command,
  layOut,
  rest,
  textual,
  type Values,
} from "../_kit/mod.ts";
import {
  referenceEntries,
  type ReferenceEntry,
  type ReferenceField,
  referenceNamed,
} from "../_kit/runbook_reference.ts";

/** A name in the list, or the details of one. */
type RunbookExplainRow =
  | (Pick<ReferenceEntry, "name" | "kind" | "summary"> & {
    /** True in the list of names. */
    readonly listed: true;
  })
  | ReferenceEntry;

const inputs = {
  what: rest(
    "module, check, value such as node.etcd.leader, or function; default lists all",
    { complete: "names" },
  ),
};

export const command = {
  summary: "Explain modules, checks, values and functions of runbooks",
  description:
    `Shows the inputs, outputs and effect of a module, what a check tests, the fields of a value, or the result of a
function, each with an example. No node is contacted.`,
  inputs,
  examples: [
    "runbook explain",
    "runbook explain etcd.snapshot",
    "runbook explain k8s.object node.etcd needsUpgrade",
  ],
  view: (_, { stdout }) => textual((row) => text(row, stdout.columns())),
  async *run({ input: { what }, commands }) {
    const entries = await referenceEntries(commands);
    if (what.length === 0) {
      for (const { name, kind, summary } of entries) {
        yield { name, kind, summary, listed: true };
      }
    }
    for (const name of what) yield* referenceNamed(entries, name);
  },
} satisfies Command<RunbookExplainRow, Values<typeof inputs>>;

/** Widths of the name and kind columns in the list. */
const [nameWidth, kindWidth] = [32, 10];

function text(row: RunbookExplainRow, columns: number | undefined): string {
  if ("listed" in row) {
    const { name, kind, summary } = row;
    return `${name.padEnd(nameWidth)}${kind.padEnd(kindWidth)}${summary}\n`;
  }
  const { name, kind, summary, facts, inputs, outputs, example } = row;
  const head = layOut([
    [`${kind.toUpperCase()}:`, name],
    ["SUMMARY:", summary],
    ...Object.entries(facts)
      .map(([heading, fact]) => [`${heading.toUpperCase()}:`, fact]),
  ], { gap: 2, columns }).text;
  return [
    head,
    section("INPUTS", inputs, columns),
    section(kind === "value" ? "FIELDS" : "OUTPUTS", outputs, columns),
    `EXAMPLE:\n${indent(example)}\n`,
  ].filter((part) => part !== "").join("\n");
}

function section(
  heading: string,
  fields: readonly ReferenceField[],
  columns: number | undefined,
): string {
  if (fields.length === 0) return "";
  const rows = fields.map(({ name, type, initial, summary }) => [
    `  ${name}`,
    type,
    initial,
    summary,
  ]);
  return `${heading}:\n${layOut(rows, { gap: 2, columns }).text}`;
}

function indent(text: string): string {
  return text.split("\n").map((line) => `  ${line}`).join("\n");
}
