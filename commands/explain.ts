import type {
  ExplainedField,
  FieldSummary,
} from "../config/documents/explain.ts";
import { documentKinds } from "../config/documents/kinds.ts";
import {
  type SafetyRule,
  safetyRules,
} from "../workflows/operations/safety_rules.ts";
import { explainTopic } from "../workflows/runbooks/language/explain_file.ts";
import { siteTopic } from "../workflows/site/site_keys.ts";
import {
  type Command,
  layOut,
  rest,
  textual,
  type Values,
} from "./_kit/mod.ts";

/** An entry of the reference, with its details. */
type ExplainRow =
  | { readonly kind: string; readonly summary: string; readonly topic: true }
  | ExplainedField
  | SafetyRule;

const inputs = {
  what: rest(
    "configuration field, document kind, key of a site or safety rule code; default lists kinds and rules",
    { complete: "topics" },
  ),
};

export const command = {
  summary: "Explain configuration fields, keys of sites and safety rules",
  description:
    `Shows a field of machine configurations with its type, default, versions, keys and examples, a key of site.yaml, or the
safety rule whose code a refusal names. No node is contacted.`,
  section: "osctl",
  noStep: "it only prints documentation",
  inputs,
  examples: [
    "explain machine.network.interfaces",
    "explain LinkConfig.addresses",
    "explain site.nodes",
    "explain S8",
  ],
  view: (_, { stdout }) => textual((row) => text(row, stdout.columns())),
  async *run({ input: { what } }) {
    if (what.length === 0) {
      for (const { kind, summary } of documentKinds.values()) {
        yield { kind, summary, topic: true };
      }
      const { topic: kind, summary } = siteTopic;
      yield { kind, summary, topic: true };
      for (const { code, summary } of safetyRules) {
        yield { kind: code, summary, topic: true };
      }
    }
    for (const one of what) yield explain(one);
  },
} satisfies Command<ExplainRow, Values<typeof inputs>>;

function explain(topic: string): ExplainRow {
  const rule = safetyRules.find(({ code }) => code === topic.toUpperCase());
  if (rule !== undefined) return rule;
  return explainTopic(topic, [siteTopic]);
}

/** Width of the kind column in the list of all entries. */
const kindWidth = 34;

function text(row: ExplainRow, columns: number | undefined): string {
  if ("topic" in row) return `${row.kind.padEnd(kindWidth)}${row.summary}\n`;
  return "code" in row ? ruleText(row, columns) : fieldText(row, columns);
}

function ruleText(
  { code, summary, advice, allow, runbooksOnly }: SafetyRule,
  columns: number | undefined,
): string {
  const override = (word: string) =>
    runbooksOnly ? `policy.allow of a runbook: ${word}` : `--allow ${word}`;
  return layOut([
    ["RULE:", code],
    ["SUMMARY:", summary],
    ["ADVICE:", advice],
    ["OVERRIDE:", allow.map(override).join(", ") || "none"],
  ], { gap: 3, columns }).text;
}

function fieldText(
  row: ExplainedField,
  columns: number | undefined,
): string {
  const { kind, path, type, fields, examples } = row;
  const head = layOut([
    ["DOCUMENT:", kind],
    ...path === "" ? [] : [["FIELD:", `${path} (${type})`]],
    ["SUMMARY:", meaning(row)],
  ], { gap: 3, columns }).text;
  const keys = layOut(
    fields.map((field) => [`  ${field.name}`, field.type, meaning(field)]),
    { gap: 3, columns },
  ).text;
  const shown = examples.map(({ title, yaml }) => {
    const indented = yaml.trimEnd().replace(/^(?=.)/gm, "  ");
    return `\nEXAMPLE:${title === "" ? "" : ` ${title}`}\n${indented}\n`;
  });
  return [head, keys === "" ? "" : `\nKEYS:\n${keys}`, ...shown].join("");
}

function meaning(field: FieldSummary): string {
  const { summary, values, since, until, deprecated } = field;
  const parts = [
    summary,
    values && `One of ${values.join(", ")}`,
    field.required && "Required",
    field.default !== undefined && `Default: ${field.default}`,
    since !== undefined && `Since ${since}`,
    until !== undefined && `Until ${until}`,
    deprecated === "" && "Deprecated",
    deprecated && `Deprecated: use ${deprecated}`,
    field.secret && "Secret",
  ];
  return parts.filter((part) => part).join(". ");
}
