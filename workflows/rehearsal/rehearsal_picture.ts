import {
  escapeHtml,
  htmlPage,
  htmlTable,
} from "../runbooks/plan/page/html_page.ts";
import { spanText } from "../runbooks/report/span.ts";
import {
  isGood,
  type RehearsalReport,
  type RehearsedRun,
  tally,
} from "./rehearsal_report.ts";
import { type InvariantResult, invariants } from "./invariants/invariant.ts";
import { faultText, formatEnding } from "./rehearsal_text.ts";
import { timeline, timelineStyle } from "./timeline.ts";

/** Maximum number of runs with a timeline; failed runs come first. */
const mostTimelines = 12;

/** Maximum number of runs in the table; failed runs come first. */
const mostRows = 200;

/** Makes the page: invariants, runs, and timelines with faults; it is self-contained. */
export function rehearsalPicture(report: RehearsalReport): string {
  const runs = report.runs.toSorted((a, b) => rank(a) - rank(b));
  const drawn = runs.filter(({ events }) => events.length > 0);
  return htmlPage({
    title: `${report.runbook} rehearsed on ${report.cluster}`,
    style: timelineStyle,
    body: head(report) + invariantTable(report.runs) + runTable(runs) +
      (drawn.length === 0 ? "" : legend) +
      drawn.slice(0, mostTimelines).map(runSection).join(""),
  });
}

const legend =
  `<p class="quiet">Below, each bar is a step: green is done, red failed, amber in doubt, dashed unfinished. A red number is a fault; a blue line is where another process resumed the run.</p>
`;

function rank(run: RehearsedRun): number {
  return isGood(run) ? 1 : 0;
}

function head(report: RehearsalReport): string {
  const { runbook, cluster, seed, madeAt, tookMs, runs } = report;
  const bad = runs.filter((run) => !isGood(run)).length;
  const virtual = runs.reduce((sum, { virtualMs }) => sum + virtualMs, 0);
  const said = bad === 0
    ? `<strong class="good">All as expected.</strong>`
    : `<strong class="bad">${bad} not as expected.</strong>`;
  return `<h1>${escapeHtml(runbook)} rehearsed on ${escapeHtml(cluster)}</h1>
<p id="verdict">${runs.length} ${
    runs.length === 1 ? "run" : "runs"
  }. ${said}</p>
<p class="quiet">Made ${escapeHtml(madeAt)} with seed ${seed}; ${
    spanText(virtual)
  } of virtual time in ${spanText(tookMs)}.</p>
`;
}

function invariantTable(runs: readonly RehearsedRun[]): string {
  return htmlTable(
    "Invariants",
    ["Id", "State", "Invariant", "Runs"],
    tally(runs).map(({ id, held, violated, unchecked }) => [
      id,
      violated > 0
        ? ["bad", `violated in ${violated}`]
        : held > 0
        ? ["good", "held"]
        : ["quiet", "not checked"],
      invariants[id],
      [
        "quiet",
        `${held} held, ${violated} violated, ${unchecked} unchecked`,
      ],
    ]),
  );
}

function runTable(runs: readonly RehearsedRun[]): string {
  const table = htmlTable(
    "Runs",
    ["Run", "End", "Virtual time", "Verdict"],
    runs.slice(0, mostRows).map((run) => [
      run.name,
      formatEnding(run),
      spanText(run.virtualMs),
      isGood(run) ? ["good", "good"] : [
        "bad",
        [...listViolated(run).map(({ id }) => id), ...run.problems].join(", "),
      ],
    ]),
  );
  const more = runs.length - mostRows;
  return more > 0 ? `${table}<p class="quiet">and ${more} more</p>\n` : table;
}

function listViolated(
  { invariants }: RehearsedRun,
): readonly InvariantResult[] {
  return invariants.filter(({ state }) => state === "violated");
}

function runSection(run: RehearsedRun, index: number): string {
  return `<h2>Run ${escapeHtml(run.name)}</h2>
<p>${escapeHtml(formatEnding(run))}, ${
    spanText(run.virtualMs)
  } of virtual time</p>
${faultList(run)}${evidence(run)}<div class="wide" id="timeline-${index + 1}">
${timeline(run)}</div>
${again(run)}`;
}

function faultList({ faults, events }: RehearsedRun): string {
  if (faults.length === 0) return "";
  const items = faults.map((fault) =>
    `<li>${escapeHtml(faultText(fault, events[0]?.ts))}</li>\n`
  );
  return `<p>Injected, by the numbers in the drawing:</p>
<ol class="faults">
${items.join("")}</ol>
`;
}

function evidence(run: RehearsedRun): string {
  const items = [
    ...run.problems.map(escapeHtml),
    ...listViolated(run).map(({ id, evidence }) =>
      `${id}: ${invariants[id]}<ul>${
        evidence.map((line) => `<li>${escapeHtml(line)}</li>`).join("")
      }</ul>`
    ),
  ];
  if (items.length === 0) return "";
  return `<ul class="bad">
${items.map((item) => `<li>${item}</li>\n`).join("")}</ul>
`;
}

function again({ again }: RehearsedRun): string {
  if (again === undefined) return "";
  return `<p class="quiet">Reproduce it with: <code>${
    escapeHtml(again)
  }</code></p>\n`;
}
