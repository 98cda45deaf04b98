import type {
  ReferenceEntry,
  ReferenceField,
} from "../../commands/_kit/runbook_reference.ts";
import { escape, formatTable, notice } from "./markdown.ts";

const headings = {
  module: ["Modules", "For `run`; inputs go under `with`."],
  check: ["Checks", "For `gate`; inputs go under `with`."],
  value: ["Values", "For expressions."],
  function: [
    "Functions",
    "For expressions. `matches` is not available; use `glob`.",
  ],
} as const;

/** Generates the page. `entries`: everything runbooks can name. */
export function runbookPage(entries: readonly ReferenceEntry[]): string {
  const parts = Object.entries(headings).map(([kind, [heading, lead]]) => {
    const own = entries.filter((one) => one.kind === kind);
    const chapters = kind === "function" ? [functions(own)] : own.map(chapter);
    return `## ${heading}\n\n${lead}\n\n${chapters.join("\n")}`;
  });
  return `${notice}
# Runbook reference

Every module, check, value and function that a runbook can name.
\`osctl runbook explain NAME\` prints an entry; the keys of runbooks are in the
[runbook language](../runbook-language.md).

${parts.join("\n")}`;
}

function chapter(entry: ReferenceEntry): string {
  const { name, kind, summary, facts, inputs, outputs, example } = entry;
  const known = Object.entries(facts)
    .map(([heading, fact]) => `${heading}: ${fact}`).join("; ");
  const language = kind === "value" ? "cel" : "yaml";
  return [
    `### ${name}\n`,
    `${escape(summary)}. ${known[0]?.toUpperCase()}${
      escape(known.slice(1))
    }.\n`,
    fieldTable("Input", inputs),
    fieldTable(kind === "value" ? "Field" : "Output", outputs),
    `\`\`\`${language}\n${example}\n\`\`\`\n`,
  ].filter((part) => part !== "").join("\n");
}

function fieldTable(what: string, fields: readonly ReferenceField[]): string {
  const rows = fields.map(({ name, type, summary, initial }) =>
    `| \`${name}\` | ${escape(type)} | ${
      initial === "" || initial === "required"
        ? initial
        : `\`${escape(initial)}\``
    } | ${escape(summary)} |`
  );
  return formatTable([what, "Type", "Default", "Meaning"], rows);
}

function functions(entries: readonly ReferenceEntry[]): string {
  const rows = entries.map(({ facts, summary, example }) =>
    `| \`${facts.call}\` | ${escape(summary)} | \`${escape(example)}\` | ${
      facts.gives === undefined ? "" : `\`${escape(facts.gives)}\``
    } |`
  );
  return formatTable(["Function", "Description", "Example", "Result"], rows);
}
