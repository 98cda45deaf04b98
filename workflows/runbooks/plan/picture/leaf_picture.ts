/** Draws a step: one line, with its details below. */

import type {
  Certainty,
  PlannedCheck,
  PlanStage,
  Preview,
  SafetyVerdict,
  StageOf,
  Stages,
} from "../plan.ts";
import {
  empty,
  type Ink,
  line,
  measureWidth,
  paragraph,
  stack,
  type SvgDrawing,
} from "./shapes.ts";
import { escapeHtml } from "./page.ts";

/** A stage without inner stages. */
export type Leaf = StageOf<
  "run" | "gate" | "approve" | "assert" | "decide" | "sleep"
>;

const indent = 24;

/** Draws a step. `width`: available width in pixels. */
export function leafPicture(stage: Leaf, width: number): SvgDrawing {
  const { look, detail, badge, ink, below } = findParticulars(stage, width);
  return stack([
    headline({ stage, look, detail, badge, ink }, width),
    drawCondition(stage, width),
    ...stage.happens === "no" ? [] : below,
  ]);
}

interface Headline {
  readonly stage: PlanStage;
  readonly look: string;
  readonly detail: string;
  /** Outcome, at the right. */
  readonly badge: string;
  readonly ink: Ink;
}

/** Draws the first line of a step: mark, id, summary, outcome. `width`: available width in pixels. */
export function headline(
  { stage, look, detail, badge, ink }: Headline,
  width: number,
): SvgDrawing {
  const isOut = stage.happens === "no";
  const out = stage.behind === undefined ? "skipped" : "not reached";
  const said = isOut ? out : badge;
  const end = width - measureWidth(said);
  const id = line(stage.id, end - 8, isOut ? "quiet" : "strong", indent);
  const behind = indent + measureWidth(stage.id) + 12;
  const what = stage.title === undefined ? detail : `${detail}  ${stage.title}`;
  const rest = end - 12 - behind < 40
    ? empty
    : line(what, end - 12, "quiet", behind);
  const badged = line(said, width + 8, isOut ? "quiet" : ink, end);
  return {
    height: id.height,
    svg: mark(stage.verb, isOut ? "left-out" : look) + id.svg + rest.svg +
      badged.svg,
  };
}

/** Draws the condition of a step, if any. `width`: available width in pixels. */
export function drawCondition(
  { when, happens }: PlanStage,
  width: number,
): SvgDrawing {
  if (when === undefined) return empty;
  const known = happens === "unknown" ? ", decided at run time" : "";
  return paragraph(`when ${when}${known}`, width, "quiet", indent);
}

/** Draws the safety verdicts of a step. `width`: available width in pixels. */
export function verdictsPicture(
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  return stack(verdicts.map((verdict) => {
    const { state, node } = verdict;
    const where = node === undefined ? "" : ` ${node}`;
    const text = `${verdict.rule} ${state}${where}: ${verdict.reason}`;
    return paragraph(text, width, verdictInks[state], indent);
  }));
}

const verdictInks: Readonly<Record<SafetyVerdict["state"], Ink>> = {
  refuses: "bad",
  waits: "warn",
  overridden: "warn",
  holds: "good",
};

interface Particulars extends Omit<Headline, "stage"> {
  readonly below: readonly SvgDrawing[];
}

function findParticulars(stage: Leaf, width: number): Particulars {
  switch (stage.verb) {
    case "run":
      return ofRun(stage, width);
    case "gate":
      return ofGate(stage, width);
    case "approve":
      return ofApproval(stage, width);
    case "assert":
      return {
        look: looks[stage.holds],
        detail: `assert ${stage.that}`,
        badge: sayings[stage.holds],
        ink: assertInks[stage.holds],
        below: stage.holds === "no"
          ? [paragraph(stage.message, width, "bad", indent)]
          : [],
      };
    case "decide": {
      const isKnown = stage.value !== undefined;
      const value = isKnown ? ` = ${JSON.stringify(stage.value)}` : "";
      return {
        look: isKnown ? "plain" : "unknown",
        detail: `decide ${stage.name}${value}`,
        badge: isKnown ? "" : "unknown",
        ink: "quiet",
        below: [],
      };
    }
    case "sleep":
      return {
        look: "plain",
        detail: `sleep ${stage.duration}`.trim(),
        badge: "",
        ink: "quiet",
        below: [],
      };
  }
}

const looks: Readonly<Record<Certainty, string>> = {
  yes: "holds",
  no: "fails",
  unknown: "unknown",
};

const sayings: Readonly<Record<Certainty, string>> = {
  yes: "holds",
  no: "fails",
  unknown: "unknown",
};

const assertInks: Readonly<Record<Certainty, Ink>> = {
  yes: "good",
  no: "bad",
  unknown: "quiet",
};

const runInks: Readonly<Record<string, Ink>> = {
  fails: "bad",
  changes: "change",
};

function ofRun(
  { module, effect, previews }: Stages["run"],
  width: number,
): Particulars {
  const alone = previews.length === 1 ? previews[0] : undefined;
  const look = chooseLook(previews);
  return {
    look,
    ink: runInks[look] ?? "quiet",
    detail: effect === "read" ? module : `${module} (${effect}s)`,
    badge: formatCounts(previews.map(({ outcome }) => outcome)),
    below: alone === undefined || alone.node !== undefined
      ? refusals(previews, width)
      : previewLines(alone, width),
  };
}

function chooseLook(previews: readonly Preview[]): string {
  const has = (wanted: Preview["outcome"]) =>
    previews.some(({ outcome }) => outcome === wanted);
  if (has("refused")) return "fails";
  if (has("change")) return "changes";
  return has("unknown") ? "unknown" : "plain";
}

function refusals(
  previews: readonly Preview[],
  width: number,
): readonly SvgDrawing[] {
  return previews.filter(({ outcome }) => outcome === "refused")
    .map(({ node = "", reason = "refused" }) =>
      paragraph(`${node}: ${reason}`, width, "bad", indent)
    );
}

function previewLines(
  { outcome, actions, reason }: Preview,
  width: number,
): readonly SvgDrawing[] {
  const ink = outcome === "refused" ? "bad" : "quiet";
  const why = reason === undefined
    ? []
    : [paragraph(reason, width, ink, indent)];
  const done = actions.map(({ action, loses }) =>
    loses === undefined
      ? paragraph(action, width, "change", indent)
      : paragraph(`${action}: loses ${loses}`, width, "bad", indent)
  );
  return [...done, ...why];
}

function ofGate(
  { checks, within, holdFor }: Stages["gate"],
  width: number,
): Particulars {
  const states = checks.map(({ state }) => state);
  const worst = findWorst(states);
  const times = [
    within === "" ? "" : ` within ${within}`,
    holdFor === undefined ? "" : `, holds for ${holdFor}`,
  ];
  return {
    look: worst === "skip" ? "left-out" : worst,
    ink: dots[worst],
    detail: `gate${times.join("")}`,
    badge: formatCounts(states),
    below: [...Map.groupBy(checks, ({ check }) => check)]
      .map(([check, all]) => checkLine(check, all, width)),
  };
}

const dots: Readonly<Record<PlannedCheck["state"], Ink>> = {
  holds: "good",
  fails: "bad",
  skip: "quiet",
  unknown: "quiet",
};

function checkLine(
  check: string,
  all: readonly PlannedCheck[],
  width: number,
): SvgDrawing {
  const states = all.map(({ state }) => state);
  const bad = all.filter(({ state }) => state === "fails");
  const shown = bad.length > 0 ? bad : all.slice(0, 1);
  const reasons = shown.flatMap(({ node, reason }) =>
    reason === undefined
      ? []
      : [node === undefined ? reason : `${node}: ${reason}`]
  );
  const counts = `${check} ${formatCounts(states)}`;
  const text = [counts, ...reasons].join(": ");
  return paragraph(text, width, dots[findWorst(states)], indent);
}

function findWorst(
  states: readonly PlannedCheck["state"][],
): PlannedCheck["state"] {
  const order = ["fails", "unknown", "holds", "skip"] as const;
  return order.find((state) => states.includes(state)) ?? "unknown";
}

function ofApproval(
  { tag, message, destructive, typed }: Stages["approve"],
  width: number,
): Particulars {
  const reported = [paragraph(message, width, "text", indent)];
  const needed = typed === undefined
    ? []
    : [paragraph(`type to approve: ${typed}`, width, "bad", indent)];
  return {
    look: destructive ? "fails" : "waits",
    detail: `approval ${tag}`,
    badge: destructive ? "asks, destructive" : "asks",
    ink: destructive ? "bad" : "warn",
    below: [...reported, ...needed],
  };
}

/** Counts equal words: `3 change, 1 nothing`; a single word has no count. */
function formatCounts(words: readonly string[]): string {
  const counts = [...Map.groupBy(words, (word) => word)];
  const [only] = counts;
  if (counts.length === 1 && only !== undefined && words.length === 1) {
    return only[0];
  }
  return counts.map(([word, { length }]) => `${length} ${word}`).join(", ");
}

const shapes: Readonly<Record<PlanStage["verb"], string>> = {
  run: `<rect class="LOOK" x="2" y="3" width="13" height="13" rx="3"/>`,
  gate: `<polygon class="LOOK" points="8.5,2 16,9.5 8.5,17 1,9.5"/>`,
  approve:
    `<polygon class="LOOK" points="5,2.5 12,2.5 16,9.5 12,16.5 5,16.5 1,9.5"/>`,
  assert: `<polygon class="LOOK" points="8.5,2 16,16 1,16"/>`,
  decide: `<polygon class="LOOK" points="4,4 16,4 13,15 1,15"/>`,
  sleep: `<circle class="LOOK" cx="8.5" cy="9.5" r="7"/>`,
  forEach:
    `<rect class="LOOK" x="5" y="2" width="10" height="10" rx="2"/><rect class="LOOK" x="1.5" y="6" width="10" height="10" rx="2"/>`,
  block: `<rect class="LOOK" x="1" y="5" width="15" height="9" rx="2"/>`,
};

function mark(verb: PlanStage["verb"], look: string): string {
  const shape = (shapes[verb] ?? "").replaceAll("LOOK", escapeHtml(look));
  return `<g>${shape}<title>${escapeHtml(verb)}</title></g>`;
}
