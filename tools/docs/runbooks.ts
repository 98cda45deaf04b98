/** Pages of the names in runbooks, by topic. */

import type {
  ReferenceEntry,
  ReferenceField,
} from "../../commands/_kit/runbook_reference.ts";
import { escape, formatTable, notice } from "./markdown.ts";

/** A page with modules and checks, and the names on it. */
interface Topic {
  readonly title: string;
  readonly names: RegExp;
}

/** Topics by page; an entry belongs to the first that matches. */
const topics: Readonly<Record<string, Topic>> = {
  "etcd.md": { title: "etcd", names: /^(etcd\.|bootstrap$)/ },
  "configurations.md": {
    title: "Machine configurations",
    names:
      /^(config\.(apply|backup|patch|read|restore)$|machineconfig\.|applyConfig$|patch$|validate$)/,
  },
  "client.md": {
    title: "Client configuration and programs",
    names: /^(config\.|osconfig\.|command$)/,
  },
  "kubernetes.md": {
    title: "Kubernetes",
    names: /^(k8s\.|kubeconfig|inject\.)/,
  },
  "certificates.md": {
    title: "CAs and certificates",
    names: /^(ca|gen|vault)\./,
  },
  "upgrades.md": {
    title: "Upgrades and images",
    names: /^(upgrade|rollback|image|node\.(rollback|verifyVersion))/,
  },
  "nodes.md": {
    title: "Nodes",
    names:
      /^(nodes?\.|cluster\.|health$|meta\.|reboot$|reset$|restart$|service$|shutdown$|wipe\.)/,
  },
  "reading.md": {
    title: "Reading nodes",
    names:
      /^(cgroups|containers|copy|disks|dmesg|doctor\.connect|events|get|inspect\.dependencies|list|logs|memory|mounts|netstat|processes|read|stats|time|usage|version)$/,
  },
};

const sections = {
  module: ["Modules", "For `run`; inputs go under `with`."],
  check: ["Checks", "For `gate`; inputs go under `with`."],
} as const;

const valuesPage = "values.md";

/**
 * Generates the pages.
 *
 * @param entries Everything runbooks can name.
 * @returns Text by file name, including `README.md`.
 * @throws {Error} If a module or check has no topic.
 */
export function runbookPages(
  entries: readonly ReferenceEntry[],
): ReadonlyMap<string, string> {
  const byPage = Map.groupBy(entries, findPage);
  const made = new Map<string, string>([["README.md", contents(entries)]]);
  for (const [page, { title }] of Object.entries(topics)) {
    const own = byPage.get(page) ?? [];
    const parts = Object.entries(sections).flatMap(
      ([kind, [heading, lead]]) => {
        const chapters = own.filter((one) => one.kind === kind).map(chapter);
        return chapters.length === 0
          ? []
          : [`## ${heading}\n\n${lead}\n\n${chapters.join("\n")}`];
      },
    );
    if (parts.length > 0) {
      made.set(page, `${notice}\n# ${title}\n\n${parts.join("\n")}`);
    }
  }
  const values = entries.filter(({ kind }) => kind === "value").map(chapter);
  const calls = functions(entries.filter(({ kind }) => kind === "function"));
  made.set(
    valuesPage,
    `${notice}
# Values and functions

For expressions; see [expressions](../language/expressions.md).

## Values

${values.join("\n")}
## Functions

\`matches\` is not available; use \`glob\`.

${calls}`,
  );
  return made;
}

function findPage({ name, kind }: ReferenceEntry): string {
  if (kind === "value" || kind === "function") return valuesPage;
  for (const [page, { names }] of Object.entries(topics)) {
    if (names.test(name)) return page;
  }
  throw new Error(
    `No topic for the ${kind} ${name}: see tools/docs/runbooks.ts`,
  );
}

function contents(entries: readonly ReferenceEntry[]): string {
  const tables = Object.entries(sections).map(([kind, [heading]]) => {
    const rows = entries.filter((one) => one.kind === kind).map((entry) => {
      const { name, summary } = entry;
      const anchor = name.toLowerCase().replaceAll(".", "");
      return `| [\`${name}\`](${findPage(entry)}#${anchor}) | ${
        escape(summary)
      } |`;
    });
    return `## ${heading}\n\n${formatTable(["Name", "Description"], rows)}`;
  });
  return `${notice}
# Runbook reference

Every module and check that a runbook can name; [values and functions](${valuesPage}) are on a page of their own.
\`osctl runbook explain NAME\` prints an entry; the keys of runbooks are in the [runbook language](../language/README.md).

${tables.join("\n")}`;
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
