/** Draws the nodes of a fan-out: by batch, in the order of admission. */

import type { PlanStage, Preview, SafetyVerdict, Stages } from "../plan.ts";
import {
  box,
  line,
  lineHeight,
  measureWidth,
  paragraph,
  stack,
  type SvgDrawing,
  translate,
} from "./shapes.ts";
import { escapeHtml } from "./page.ts";

/** Draws the nodes of a fan-out. `width`: available width in pixels. */
export function batchesPicture(
  stage: Stages["forEach"],
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  const { batches, ramp, maxUnavailable, maxFailures, group, open } = stage;
  if (open) {
    return paragraph(`nodes of ${group}, known at run time`, width, "strong");
  }
  const total = batches.flat().length;
  const largest = Math.max(0, ...batches.map(({ length }) => length));
  const paces = ramp
    ? "one batch at a time"
    : `${largest} at once, the next starts when one is done`;
  const looks = chooseLooks(stage, verdicts);
  const chips = (names: readonly string[], room: number) =>
    drawChips(names.map((name) => ({ name, ...known(looks, name) })), room);
  const drawn = ramp
    ? batches.map((names, i) =>
      box(
        stack([
          line(`batch ${i + 1}`, width, "quiet"),
          chips(names, width - 20),
        ], 4),
        width,
        { look: "plain" },
      )
    )
    : [chips(batches.flat(), width)];
  return stack([
    paragraph(`${total} nodes of ${group}`, width, "strong"),
    ...total === 0 ? [] : [paragraph(paces, width, "quiet")],
    paragraph(
      `at most ${maxUnavailable} unavailable, ${maxFailures} failed`,
      width,
      "quiet",
    ),
    ...drawn,
  ], 4);
}

interface Look {
  readonly look: string;
  readonly why: readonly string[];
}

function known(looks: ReadonlyMap<string, Look>, node: string): Look {
  return looks.get(node) ?? { look: "plain", why: [] };
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
): ReadonlyMap<string, Look> {
  const all = new Map<string, Look>();
  function add(node: string, look: string, why: readonly string[]): void {
    const before = all.get(node);
    const worse = before === undefined ||
      severity.indexOf(look) < severity.indexOf(before.look);
    const kept = worse ? look : before.look;
    all.set(node, { look: kept, why: [...before?.why ?? [], ...why] });
  }
  for (const { path, previews } of previewsIn(stage.steps)) {
    const step = path.slice(path.lastIndexOf("/") + 1);
    for (const { node, outcome, actions, reason } of previews) {
      if (node === undefined) continue;
      const done = actions.map(({ action }) => action).join(", ");
      const why = [done, reason ?? ""].filter((part) => part !== "");
      const text = [outcome, ...why].join(": ");
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

function previewsIn(
  stages: readonly PlanStage[],
): readonly {
  readonly path: string;
  readonly previews: readonly Preview[];
}[] {
  return stages.flatMap((stage) => {
    if (stage.verb === "run") return [stage];
    if (stage.verb !== "block" && stage.verb !== "forEach") return [];
    return previewsIn(stage.steps);
  });
}

/** Height of a box with a name, and the gap between two. */
const [chipHeight, gap] = [lineHeight + 6, 6];

function drawChips(
  chips: readonly (Look & { readonly name: string })[],
  width: number,
): SvgDrawing {
  let [x, y] = [0, 0];
  const parts = chips.map((chip) => {
    const needed = Math.min(width, measureWidth(chip.name) + 16);
    if (x > 0 && x + needed > width) [x, y] = [0, y + chipHeight + gap];
    const at = [x, y] as const;
    x += needed + gap;
    return translate(drawChip(chip, needed), ...at);
  });
  return {
    height: chips.length === 0 ? 0 : y + chipHeight,
    svg: parts.join(""),
  };
}

function drawChip(
  { name, look, why }: Look & { readonly name: string },
  width: number,
): SvgDrawing {
  const text = line(name, width, "text", 8);
  const title = [name, ...why].map(escapeHtml).join("&#10;");
  return {
    height: chipHeight,
    svg: `<rect class="${look}" x="0.5" y="0.5" width="${width - 1}" height="${
      chipHeight - 1
    }" rx="4"/><title>${title}</title>${translate(text, 0, 3)}`,
  };
}
