/** Renders the nodes of a fan-out: by batch, in the order of admission. */

import {
  formatAction,
  type PlanStage,
  type Preview,
  type SafetyVerdict,
  type StageOf,
  type Stages,
  stateWords,
} from "../plan.ts";
import { escapeHtml } from "./html_page.ts";

/** Renders the nodes of a fan-out; each has the look of its worst outcome. */
export function nodeList(
  stage: Stages["forEach"],
  verdicts: readonly SafetyVerdict[],
): string {
  const { batches, ramp, maxUnavailable, maxFailures, group, open } = stage;
  if (open) {
    const text = `nodes of ${group}, known at run time`;
    return `<p><strong>${escapeHtml(text)}</strong></p>\n`;
  }
  const total = batches.flat().length;
  const largest = Math.max(0, ...batches.map(({ length }) => length));
  const pace = ramp
    ? "one batch at a time"
    : `${largest} at once, the next starts when one is done`;
  const looks = chooseLooks(stage, verdicts);
  const list = (names: readonly string[]) =>
    `<ul class="nodes">${
      names.map((name) => renderNode(name, looks.get(name))).join("")
    }</ul>\n`;
  return `<p><strong>${total} nodes of ${escapeHtml(group)}</strong></p>
${total === 0 ? "" : `<p class="quiet">${pace}</p>\n`}` +
    `<p class="quiet">at most ${maxUnavailable} unavailable, ${maxFailures} failed</p>
` +
    (ramp
      ? batches.map((names, i) =>
        `<p class="quiet">batch ${i + 1}</p>\n${list(names)}`
      ).join("")
      : list(batches.flat()));
}

interface NodeLook {
  readonly look: string;
  /** Reasons, in the tooltip. */
  readonly why: readonly string[];
}

function renderNode(
  name: string,
  { look, why }: NodeLook = { look: "plain", why: [] },
): string {
  const title = [name, ...why].map(escapeHtml).join("&#10;");
  return `<li class="node ${look}" title="${title}">${escapeHtml(name)}</li>`;
}

const severity = ["fails", "waits", "changes", "unknown", "plain", "left-out"];

const outcomes: Readonly<Record<Preview["outcome"], string>> = {
  change: "changes",
  refused: "fails",
  unknown: "unknown",
  read: "plain",
  nothing: "plain",
  skip: "left-out",
};

/** Class for the worst outcome of a node, and its tooltip. */
function chooseLooks(
  stage: Stages["forEach"],
  verdicts: readonly SafetyVerdict[],
): ReadonlyMap<string, NodeLook> {
  const all = new Map<string, NodeLook>();
  function add(node: string, look: string, why: readonly string[]): void {
    const before = all.get(node);
    const worse = before === undefined ||
      severity.indexOf(look) < severity.indexOf(before.look);
    const kept = worse ? look : before.look;
    all.set(node, { look: kept, why: [...before?.why ?? [], ...why] });
  }
  for (const { id, title, previews } of listRuns(stage.steps)) {
    const step = title ?? id;
    for (const { node, outcome, actions, reason } of previews) {
      if (node === undefined) continue;
      const done = actions.map(formatAction).join(", ");
      const why = [done, reason ?? ""].filter((part) => part !== "");
      const text = [stateWords[outcome], ...why].join(": ");
      const isQuiet = outcome === "skip" || outcome === "read";
      add(node, outcomes[outcome], isQuiet ? [] : [`${step} ${text}`]);
    }
  }
  for (const { node, state, rule, reason } of verdicts) {
    if (node === undefined || state === "holds") continue;
    const look = state === "refuses" ? "fails" : "waits";
    add(node, look, [`${rule} ${state}: ${reason}`]);
  }
  return all;
}

function listRuns(stages: readonly PlanStage[]): readonly StageOf<"run">[] {
  return stages.flatMap((stage) => {
    if (stage.verb === "run") return [stage];
    if (stage.verb !== "block" && stage.verb !== "forEach") return [];
    return listRuns(stage.steps);
  });
}
