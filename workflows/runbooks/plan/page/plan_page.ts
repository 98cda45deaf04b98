/** Renders a plan as an HTML page: its steps with their batches, safety rules, groups and inputs. */

import { formatCount } from "../../../../lib/text/count.ts";
import {
  formatField,
  formatVerdict,
  listInputs,
  type Plan,
  type PlanStage,
} from "../plan.ts";
import { escapeHtml, htmlPage, htmlTable } from "./html_page.ts";
import {
  renderSection,
  renderSteps,
  stepsStyle,
  verdictInks,
} from "./steps.ts";

/** Options of the page. */
export interface PlanPageOptions {
  /** Sections of the page in the terminal, shown first. */
  readonly summary?: readonly string[];
  /** Names of the inputs that are not defaults; default not known. */
  readonly given?: ReadonlySet<string> | undefined;
  /** Names a step by its path; default by the path. */
  readonly place?: (path: string) => string;
}

/** Renders a plan as a self-contained HTML page, light and dark, without scripts. */
export function planPage(
  plan: Plan,
  { summary = [], given, place = (path) => path }: PlanPageOptions = {},
): string {
  const { runbook, cluster, stages, rescue, always, safety } = plan;
  return htmlPage({
    title: `${runbook} on ${cluster.name}`,
    style: stepsStyle + summaryStyle,
    body: head(plan) + renderSummary(summary) +
      renderVerdicts(plan, place) +
      renderMembership(plan) +
      `<h2>Every step</h2>\n<div id="steps">\n${renderSteps(stages, safety)}${
        renderSection("if the run fails", rescue, safety)
      }${renderSection("always, at the end", always, safety)}</div>\n` +
      renderGroups(plan) + htmlTable("Inputs", [], listInputs(plan, given)) +
      renderUnknowns(plan, place),
  });
}

function head({ runbook, title, cluster, madeAt, stages }: Plan): string {
  const counts = countChanges(stages);
  const said = counts.changes === 0 && counts.unknown === 0
    ? "Nothing to do."
    : `${formatCount(counts.changes, "change")} on ${
      formatCount(counts.nodes, "node")
    }` +
      (counts.unknown === 0 ? "." : `, ${counts.unknown} decided at run time.`);
  return `<h1>${escapeHtml(runbook)} on ${escapeHtml(cluster.name)}</h1>
<p>${escapeHtml(title)}</p>
<p class="quiet">Planned ${
    escapeHtml(formatMinute(madeAt))
  }. <strong>${said}</strong></p>
`;
}

/** Formats a time as elsewhere: `2026-11-20 19:30 UTC`. */
function formatMinute(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

const summaryStyle = `#summary {
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--card); border-radius: 6px;
  padding: 12px 16px; overflow-x: auto;
}
`;

function renderSummary(sections: readonly string[]): string {
  if (sections.length === 0) return "";
  const lines = sections.join("\n\n").split("\n").map(escapeHtml);
  return `<pre id="summary">${lines.join("\n")}</pre>\n`;
}

function countChanges(stages: readonly PlanStage[]) {
  const previews = listPreviews(stages);
  const changing = previews.filter(({ outcome }) => outcome === "change");
  const nodes = changing.flatMap(({ node }) => node === undefined ? [] : node);
  return {
    changes: changing.length,
    nodes: new Set(nodes).size,
    unknown: previews.filter(({ outcome }) => outcome === "unknown").length,
  };
}

function listPreviews(stages: readonly PlanStage[]): readonly {
  readonly node?: string;
  readonly outcome: string;
}[] {
  return stages.flatMap((stage) => {
    if (stage.happens === "no") return [];
    switch (stage.verb) {
      case "run":
        return stage.previews;
      case "forEach":
      case "block":
        return listPreviews(stage.steps);
      default:
        return [];
    }
  });
}

type Place = NonNullable<PlanPageOptions["place"]>;

function renderVerdicts({ safety }: Plan, place: Place): string {
  return htmlTable(
    "Safety",
    ["Rule", "Now", "Where", "What"],
    safety.map(({ rule, state, path, node = "", reason }) => [
      rule,
      [verdictInks[state], state],
      [path === undefined ? "" : place(path), node]
        .filter((part) => part !== "").join(" on "),
      formatVerdict({ rule, reason }),
    ]),
  );
}

function renderMembership({ joined, left }: Plan): string {
  const line = (what: string, names: readonly string[]) =>
    names.length === 0
      ? ""
      : `<p class="warn">${what}: ${escapeHtml(names.join(", "))}</p>\n`;
  return line("Joined the cluster", joined) + line("Left the cluster", left);
}

function renderGroups({ groups }: Plan): string {
  return htmlTable(
    "Groups",
    ["Group", "Nodes", "In order"],
    groups.map(({ name, nodes, at }) => [
      name,
      `${nodes.length}${at === "entry" ? ", resolved again at its step" : ""}`,
      nodes.join(", "),
    ]),
  );
}

function renderUnknowns({ unknowns }: Plan, place: Place): string {
  return htmlTable(
    "Decided at run time",
    ["Step", "What", "Expression", "Depends on"],
    unknowns.map((
      { path, what, expression, needs },
    ) => [
      place(path),
      formatField(what),
      expression,
      needs.map(place).join(", "),
    ]),
  );
}
