/** Renders the steps of a plan as nested lists; the nodes of a fan-out beside its steps. */

import {
  type Certainty,
  type PlannedCheck,
  type PlannedWork,
  type PlanStage,
  type Preview,
  type SafetyVerdict,
  type StageOf,
  type Stages,
  stateWords,
} from "../plan.ts";
import { nodeList } from "./node_list.ts";
import { escapeHtml, type Ink } from "./html_page.ts";

type Verdicts = readonly SafetyVerdict[];

/** Renders steps with their inner steps; empty without steps. */
export function renderSteps(
  stages: readonly PlanStage[],
  verdicts: Verdicts,
): string {
  if (stages.length === 0) return "";
  const items = stages.map((stage) => renderStep(stage, verdicts));
  return `<ol class="steps">\n${items.join("")}</ol>\n`;
}

/** Renders steps under a heading; empty without steps. `heading`: when they run. */
export function renderSection(
  heading: string,
  stages: readonly PlanStage[],
  verdicts: Verdicts,
): string {
  if (stages.length === 0) return "";
  return paragraph("warn", heading) + renderSteps(stages, verdicts);
}

/** Class of the text of a verdict. */
export const verdictInks: Readonly<Record<SafetyVerdict["state"], Ink>> = {
  refuses: "bad",
  waits: "warn",
  overridden: "warn",
  holds: "good",
};

/** Class of a box, by outcome. */
type Look = "plain" | "holds" | "fails" | "waits" | "changes" | "unknown";

/** Class of the texts of an outcome. */
const inks: Readonly<Record<Look, Ink>> = {
  plain: "quiet",
  holds: "good",
  fails: "bad",
  waits: "warn",
  changes: "change",
  unknown: "quiet",
};

interface Description {
  readonly look: Look;
  readonly detail: string;
  /** Outcome, at the right. */
  readonly badge?: string;
  /** HTML below the first line. */
  readonly below?: string;
}

function renderStep(stage: PlanStage, verdicts: Verdicts): string {
  const { id, title, behind, when, happens, pointOfNoReturn } = stage;
  const described = describe(stage, verdicts);
  const { look, detail, badge = "", below = "" } = described;
  const isOut = happens === "no";
  const skipped = behind === undefined ? "skipped" : "not reached";
  const isNested = stage.verb === "forEach" || stage.verb === "block";
  const condition = happens === "unknown" ? ", decided at run time" : "";
  const own = verdicts.filter(({ path }) => path === stage.path);
  return `<li class="step ${isOut ? "left-out" : look}">
<p class="head"><strong>${escapeHtml(title ?? id)}</strong>${
    span("quiet", detail)
  }${
    isOut ? span("badge quiet", skipped) : span(`badge ${inks[look]}`, badge)
  }</p>
${when === undefined ? "" : paragraph("quiet", `when ${when}${condition}`)}${
    isOut && !isNested ? "" : below
  }${own.map(renderVerdict).join("")}${
    pointOfNoReturn ? paragraph("no-return", "point of no return") : ""
  }</li>
`;
}

function renderVerdict({ rule, state, node, reason }: SafetyVerdict): string {
  const where = node === undefined ? "" : ` ${node}`;
  return paragraph(verdictInks[state], `${rule} ${state}${where}: ${reason}`);
}

function span(look: string, text: string): string {
  return text === "" ? "" : ` <span class="${look}">${escapeHtml(text)}</span>`;
}

function paragraph(look: string, text: string): string {
  return `<p class="${look}">${escapeHtml(text)}</p>\n`;
}

function describe(stage: PlanStage, verdicts: Verdicts): Description {
  switch (stage.verb) {
    case "forEach":
      return ofFanOut(stage, verdicts);
    case "block":
      return {
        look: "plain",
        detail: stage.runbook === undefined ? "" : `runbook ${stage.runbook}`,
        below: renderParts(stage, verdicts),
      };
    case "run":
      return ofRun(stage);
    case "gate":
      return ofGate(stage);
    case "approve":
      return ofApproval(stage);
    case "assert": {
      const look = assertLooks[stage.holds];
      return {
        look,
        badge: look === "unknown" ? stateWords.unknown : look,
        detail: `assert ${stage.that}`,
        below: stage.holds === "no" ? paragraph("bad", stage.message) : "",
      };
    }
    case "decide": {
      const isKnown = stage.value !== undefined;
      const value = isKnown ? ` = ${JSON.stringify(stage.value)}` : "";
      return {
        look: isKnown ? "plain" : "unknown",
        detail: `decide ${stage.name}${value}`,
        badge: isKnown ? "" : stateWords.unknown,
      };
    }
    case "sleep":
      return { look: "plain", detail: `sleep ${stage.duration}`.trim() };
  }
}

/** Number of nodes up to which they are beside the steps, where the window is wide. */
const mostBeside = 48;

function ofFanOut(
  stage: StageOf<"forEach">,
  verdicts: Verdicts,
): Description {
  const within = verdicts.filter(({ path = "" }) =>
    path === stage.path || path.startsWith(`${stage.path}/`)
  );
  const isLarge = stage.batches.flat().length > mostBeside;
  return {
    look: "plain",
    detail: "for each node",
    below: `<div class="${isLarge ? "large fan-out" : "fan-out"}"><div>
${renderParts(stage, verdicts)}</div><div>
${nodeList(stage, within)}</div></div>
`,
  };
}

/** Renders the steps, `rescue` and `always`. */
function renderParts(
  { steps, rescue, always }: PlannedWork,
  verdicts: Verdicts,
): string {
  return renderSteps(steps, verdicts) +
    renderSection("on failure", rescue, verdicts) +
    renderSection("always", always, verdicts);
}

const assertLooks: Readonly<Record<Certainty, Look>> = {
  yes: "holds",
  no: "fails",
  unknown: "unknown",
};

function ofRun({ module, effect, previews }: Stages["run"]): Description {
  const [first] = previews;
  const isAlone = previews.length === 1 && first?.node === undefined;
  return {
    look: chooseLook(previews),
    detail: effect === "read" ? module : `${module} (${effect}s)`,
    badge: formatCounts(previews.map(({ outcome }) => outcome)),
    below: isAlone && first ? renderPreview(first) : renderRefused(previews),
  };
}

function chooseLook(previews: readonly Preview[]): Look {
  const has = (wanted: Preview["outcome"]) =>
    previews.some(({ outcome }) => outcome === wanted);
  if (has("refused")) return "fails";
  if (has("change")) return "changes";
  return has("unknown") ? "unknown" : "plain";
}

function renderRefused(previews: readonly Preview[]): string {
  return previews.filter(({ outcome }) => outcome === "refused")
    .map(({ node = "", reason = "refused" }) =>
      paragraph("bad", `${node}: ${reason}`)
    ).join("");
}

function renderPreview({ outcome, actions, reason }: Preview): string {
  const done = actions.map(({ action, loses }) =>
    loses === undefined
      ? paragraph("change", action)
      : paragraph("bad", `${action}: loses ${loses}`)
  );
  const why = reason === undefined
    ? ""
    : paragraph(outcome === "refused" ? "bad" : "quiet", reason);
  return done.join("") + why;
}

function ofGate({ checks, within, holdFor }: Stages["gate"]): Description {
  const states = checks.map(({ state }) => state);
  const times = [
    within === "" ? "" : ` within ${within}`,
    holdFor === undefined ? "" : `, holds for ${holdFor}`,
  ];
  return {
    look: checkLooks[findWorst(states)],
    detail: `gate${times.join("")}`,
    badge: formatCounts(states),
    below: [...Map.groupBy(checks, ({ check }) => check)]
      .map(([check, all]) => renderCheck(check, all)).join(""),
  };
}

const checkLooks: Readonly<Record<PlannedCheck["state"], Look>> = {
  holds: "holds",
  fails: "fails",
  skip: "plain",
  unknown: "unknown",
};

function renderCheck(check: string, all: readonly PlannedCheck[]): string {
  const states = all.map(({ state }) => state);
  const bad = all.filter(({ state }) => state === "fails");
  const shown = bad.length > 0 ? bad : all.slice(0, 1);
  const reasons = shown.flatMap(({ node, reason }) =>
    reason === undefined
      ? []
      : [node === undefined ? reason : `${node}: ${reason}`]
  );
  const text = [`${check} ${formatCounts(states)}`, ...reasons].join(": ");
  return paragraph(inks[checkLooks[findWorst(states)]], text);
}

function findWorst(
  states: readonly PlannedCheck["state"][],
): PlannedCheck["state"] {
  const order = ["fails", "unknown", "holds", "skip"] as const;
  return order.find((state) => states.includes(state)) ?? "unknown";
}

function ofApproval(
  { tag, message, destructive, typed }: Stages["approve"],
): Description {
  return {
    look: destructive ? "fails" : "waits",
    detail: `approval ${tag}`,
    badge: destructive ? "asks, destructive" : "asks",
    below: paragraph("text", message) +
      (typed === undefined
        ? ""
        : paragraph("bad", `type to approve: ${typed}`)),
  };
}

/** Counts equal states: `3 changes, 1 no change`; a single one has no count. */
function formatCounts(states: readonly (keyof typeof stateWords)[]): string {
  const [first, ...more] = states.map((state) => stateWords[state]);
  if (first === undefined || more.length === 0) return first ?? "";
  return [...Map.groupBy([first, ...more], (word) => word)]
    .map(([word, { length }]) => `${length} ${word}`).join(", ");
}

/** Styles of steps and nodes. */
export const stepsStyle = `#steps {
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere;
}
#steps p { margin: 0; }
.steps { list-style: none; margin: 0; padding: 0; }
.step, .node { --edge: var(--line); --fill: var(--ground); border: 1px solid var(--edge); }
.step { border-left-width: 4px; border-radius: 6px; background: var(--card); margin: 6px 0; padding: 6px 10px; }
.step .step { background: var(--ground); }
.head { display: flex; flex-wrap: wrap; gap: 0 12px; }
.badge { margin-left: auto; }
.fan-out { display: flex; gap: 6px 24px; }
.fan-out > * { flex: 2 1 0; min-width: 0; }
.fan-out > :first-child { flex-grow: 3; }
.large.fan-out { flex-direction: column; }
@media (max-width: 720px) { .fan-out { flex-direction: column; } }
.nodes { display: flex; flex-wrap: wrap; gap: 6px; list-style: none; margin: 4px 0; padding: 0; }
.node { border-radius: 4px; padding: 2px 8px; background: var(--fill); }
.no-return { color: var(--bad); border-top: 3px solid var(--bad); text-align: right; }
.left-out { border-style: dotted; }
.unknown { --edge: var(--quiet); border-style: dashed; }
.changes { --edge: var(--change); --fill: var(--soft-change); }
.holds { --edge: var(--good); --fill: var(--soft-good); }
.waits { --edge: var(--warn); --fill: var(--soft-warn); }
.fails { --edge: var(--bad); --fill: var(--soft-bad); }
`;
