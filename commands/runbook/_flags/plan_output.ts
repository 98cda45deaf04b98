/** Formats of a plan: those of other commands, and one page with a picture. */

import { maskValue, processMasker } from "../../../config/masker.ts";
import { planPicture } from "../../../workflows/runbooks/plan/picture/plan_picture.ts";
import type { Plan } from "../../../workflows/runbooks/plan/plan.ts";
import { type Flag, type Format, InputProblem } from "../../_kit/mod.ts";
import { formats } from "../../../terminal/format.ts";
import { outputFlag } from "../../_kit/globals.ts";
import { renderer } from "../../../terminal/render.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { planView } from "../../../workflows/runbooks/report/plan_view.ts";

/** A chosen format. */
export type PlanFormat = Format | {
  /** One page with a picture. */
  readonly kind: "html";
};

/** `--output`. */
export const planOutputFlag: Flag<PlanFormat> = {
  role: "flag",
  type: "string",
  short: "o",
  summary: "format: table, json, jsonl, yaml, html or jsonpath=<template>",
  choices: ["table", "json", "jsonl", "yaml", "html", "jsonpath="],
  initial: { kind: "table" },
  shown: "table",
  parse(value) {
    if (value === "html") return { kind: "html" };
    if (others.has(value) || value.startsWith("jsonpath")) {
      return outputFlag.parse(value, undefined);
    }
    const known = [...formats, "html", "jsonpath=<template>"];
    throw new InputProblem(`must be one of ${known.join(", ")}`);
  },
};

/** Formats of other commands, and other words for them. */
const others: ReadonlySet<string> = new Set([...formats, "text", "human"]);

/** Writes a plan. */
export async function writePlan(
  made: Plan,
  format: PlanFormat,
  sink: Environment["stdout"],
): Promise<void> {
  const plan = maskValue(made, processMasker.mask);
  if (format.kind === "html") {
    await sink.write(new TextEncoder().encode(planPicture(plan)));
    return;
  }
  const drawn = await renderer<Plan>({ view: planView, format, sink });
  await drawn.row(plan);
  await drawn.end();
}
