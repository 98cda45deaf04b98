/** Draws the steps of a runbook; those with inner steps as boxes around them. */

import type {
  PlannedWork,
  PlanStage,
  SafetyVerdict,
  StageHead,
  StageOf,
} from "../plan.ts";
import {
  box,
  line,
  measureWidth,
  paragraph,
  stack,
  type SvgDrawing,
  translate,
} from "./shapes.ts";
import { batchesPicture } from "./fan_out_picture.ts";
import {
  drawCondition,
  headline,
  leafPicture,
  verdictsPicture,
} from "./leaf_picture.ts";

/** Draws a step and its inner steps. `width`: available width in pixels. */
export function stagePicture(
  stage: PlanStage,
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  const own = verdicts.filter(({ path }) => path === stage.path);
  return stack([
    drawBody(stage, verdicts, width),
    verdictsPicture(own, width),
    ...stage.pointOfNoReturn ? [noReturn(width)] : [],
  ], 2);
}

function drawBody(
  stage: PlanStage,
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  switch (stage.verb) {
    case "forEach":
      return fanOutPicture(stage, verdicts, width);
    case "block":
      return blockPicture(stage, verdicts, width);
    default:
      return leafPicture(stage, width);
  }
}

const pad = 10;

const mostBeside = 48;

function blockPicture(
  stage: StageOf<"block">,
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  const room = width - 2 * pad;
  const detail = stage.runbook === undefined ? "" : `runbook ${stage.runbook}`;
  const inside = stack([
    headline({ stage, look: "plain", detail, badge: "", ink: "quiet" }, room),
    drawCondition(stage, room),
    drawParts(stage, verdicts, room),
  ], 4);
  return box(inside, width, { look: boxLook(stage), pad });
}

function boxLook({ happens }: StageHead): string {
  return happens === "no" ? "left-out" : "plain";
}

function fanOutPicture(
  stage: StageOf<"forEach">,
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  const room = width - 2 * pad;
  // When narrow, or with many nodes, the nodes are below the steps.
  const isWide = room > 620 && stage.batches.flat().length <= mostBeside;
  const [left, right] = isWide ? [room * 0.6 - 16, room * 0.4] : [room, room];
  const within = verdicts.filter(({ path = "" }) =>
    path === stage.path || path.startsWith(`${stage.path}/`)
  );
  const steps = drawParts(stage, verdicts, left);
  const nodes = batchesPicture(stage, within, right);
  const both = isWide
    ? {
      height: Math.max(steps.height, nodes.height),
      svg: translate(steps, 0, 0) + translate(nodes, room - right, 0),
    }
    : stack([steps, nodes], 8);
  const inside = stack([
    headline(
      {
        stage,
        look: "plain",
        detail: "for each node",
        badge: "",
        ink: "quiet",
      },
      room,
    ),
    drawCondition(stage, room),
    both,
  ], 6);
  return box(inside, width, { look: boxLook(stage), pad });
}

/** Draws the steps, `rescue` and `always`. */
function drawParts(
  { steps, rescue, always }: PlannedWork,
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  return stack([
    ...steps.map((step) => stagePicture(step, verdicts, width)),
    sectionPicture("on failure", rescue, verdicts, width),
    sectionPicture("always", always, verdicts, width),
  ], 4);
}

/** Draws steps under a heading; empty without steps. `heading`: when they run. `width`: available width in pixels. */
export function sectionPicture(
  heading: string,
  stages: readonly PlanStage[],
  verdicts: readonly SafetyVerdict[],
  width: number,
): SvgDrawing {
  if (stages.length === 0) return stack([]);
  return stack([
    line(heading, width, "warn"),
    ...stages.map((stage) => stagePicture(stage, verdicts, width)),
  ], 4);
}

function noReturn(width: number): SvgDrawing {
  const text = "point of no return";
  const end = width - measureWidth(text) - 8;
  const said = paragraph(text, width, "bad", end + 8);
  return {
    height: said.height,
    svg: `<path class="no-return" d="M0 10H${Math.round(end)}"/>${said.svg}`,
  };
}
