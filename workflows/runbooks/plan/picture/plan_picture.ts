/** Renders a plan as an HTML page with a picture of its steps and batches. */

import type { Plan, PlanStage, SafetyVerdict } from "../plan.ts";
import { box, pictureStyle, stack, type SvgDrawing } from "./shapes.ts";
import { escapeHtml, htmlPage } from "./page.ts";
import { sectionPicture, stagePicture } from "./stage_picture.ts";

/** Width of the picture in pixels; narrower windows scale it, or scroll. */
const width = 1040;

/** Draws a plan as a self-contained HTML page, light and dark, without scripts. */
export function planPicture(plan: Plan): string {
  const { runbook, cluster } = plan;
  return htmlPage({
    title: `${runbook} on ${cluster.name}`,
    style: pictureStyle,
    body: head(plan) + renderRefusals(plan) + renderVerdicts(plan.safety) +
      membership(plan) +
      picture(plan) + renderGroups(plan) + renderInputs(plan) +
      renderUnknowns(plan),
  });
}

function head({ runbook, title, cluster, madeAt, stages }: Plan): string {
  const counts = changesIn(stages);
  const said = counts.changes === 0 && counts.unknown === 0
    ? "Nothing to do."
    : `${counts.changes} changes on ${counts.nodes} nodes` +
      (counts.unknown === 0 ? "." : `, ${counts.unknown} decided at run time.`);
  return `<h1>${escapeHtml(runbook)} on ${escapeHtml(cluster.name)}</h1>
<p>${escapeHtml(title)}</p>
<p class="quiet">Planned ${escapeHtml(madeAt)}. <strong>${said}</strong></p>
`;
}

function renderRefusals({ refusals }: Plan): string {
  if (refusals.length === 0) return "";
  const rows = refusals.map(({ path = "the start", node = "", reason }) =>
    `<tr><td>${escapeHtml(path)}</td><td>${
      escapeHtml(node)
    }</td><td class="bad">${escapeHtml(reason)}</td></tr>\n`
  );
  return `<h2>A run would be refused</h2>
<div class="wide"><table id="refusals">
<tr><th>At</th><th>Node</th><th>Why</th></tr>
${rows.join("")}</table></div>
`;
}

function changesIn(stages: readonly PlanStage[]) {
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

const inks: Readonly<Record<SafetyVerdict["state"], string>> = {
  refuses: "bad",
  waits: "warn",
  overridden: "warn",
  holds: "good",
};

function renderVerdicts(safety: readonly SafetyVerdict[]): string {
  if (safety.length === 0) return "";
  const rows = safety.map(({ rule, state, path = "", node = "", reason }) =>
    `<tr><td>${escapeHtml(rule)}</td><td class="${
      inks[state]
    }">${state}</td><td>${
      escapeHtml([path, node].filter((part) => part !== "").join(" on "))
    }</td><td>${escapeHtml(reason)}</td></tr>\n`
  );
  return `<h2>Safety</h2>
<div class="wide"><table id="safety">
<tr><th>Rule</th><th>Now</th><th>Where</th><th>Why</th></tr>
${rows.join("")}</table></div>
`;
}

function membership({ joined, left }: Plan): string {
  const said = (names: readonly string[], what: string) =>
    names.length === 0
      ? ""
      : `<p class="warn">${what}: ${escapeHtml(names.join(", "))}</p>\n`;
  return said(joined, "Joined the cluster") + said(left, "Left the cluster");
}

function picture(plan: Plan): string {
  const room = width - 24;
  const cards = plan.stages.map((stage) => card(stage, plan.safety));
  const more = [
    sectionPicture("if the run fails", plan.rescue, plan.safety, room),
    sectionPicture("always, at the end", plan.always, plan.safety, room),
  ].filter(({ height }) => height > 0)
    .map((part) => box(part, width, { look: "card", pad: 12 }));
  const whole = stack(flow([...cards, ...more]));
  const height = Math.ceil(whole.height) + 2;
  const [id, text] = ["picture-title", `Steps of ${plan.runbook}, in order`];
  return `<h2>Steps</h2>
<div class="wide"><svg id="picture" role="img" aria-labelledby="${id}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title id="${id}">${escapeHtml(text)}</title>
${whole.svg}</svg></div>
`;
}

/** Puts a step into a box, unless it is one already. */
function card(stage: PlanStage, safety: readonly SafetyVerdict[]): SvgDrawing {
  const { verb, happens } = stage;
  if (verb === "forEach" || verb === "block") {
    return stagePicture(stage, safety, width);
  }
  const look = happens === "no" ? "left-out" : "card";
  const inside = stagePicture(stage, safety, width - 24);
  return box(inside, width, { look, pad: 12 });
}

function flow(cards: readonly SvgDrawing[]): readonly SvgDrawing[] {
  const arrow: SvgDrawing = {
    height: 18,
    svg: `<polygon class="arrow" points="${width / 2 - 6},4 ${
      width / 2 + 6
    },4 ${width / 2},14"/>`,
  };
  return cards.flatMap((one, i) => i === 0 ? [one] : [arrow, one]);
}

function renderGroups({ groups }: Plan): string {
  if (groups.length === 0) return "";
  const rows = groups.map(({ name, nodes, at }) =>
    `<tr><td>${escapeHtml(name)}</td><td>${nodes.length}${
      at === "entry" ? ", resolved anew at its step" : ""
    }</td><td>${escapeHtml(nodes.join(", "))}</td></tr>\n`
  );
  return `<h2>Groups</h2>
<div class="wide"><table id="groups">
<tr><th>Group</th><th>Nodes</th><th>In order</th></tr>
${rows.join("")}</table></div>
`;
}

function renderInputs({ inputs }: Plan): string {
  const entries = Object.entries(inputs);
  if (entries.length === 0) return "";
  const rows = entries.map(([name, value]) =>
    `<tr><td>${escapeHtml(name)}</td><td>${
      escapeHtml(typeof value === "string" ? value : JSON.stringify(value))
    }</td></tr>\n`
  );
  return `<h2>Inputs</h2>
<div class="wide"><table id="inputs">
${rows.join("")}</table></div>
`;
}

function renderUnknowns({ unknowns }: Plan): string {
  if (unknowns.length === 0) return "";
  const rows = unknowns.map(({ path, what, expression, needs }) =>
    `<tr><td>${escapeHtml(path)}</td><td>${escapeHtml(what)}</td><td>${
      escapeHtml(expression)
    }</td><td>${escapeHtml(needs.join(", "))}</td></tr>\n`
  );
  return `<h2>Decided at run time</h2>
<div class="wide"><table id="unknowns">
<tr><th>Step</th><th>What</th><th>Expression</th><th>Depends on</th></tr>
${rows.join("")}</table></div>
`;
}
