/** Values of expressions known before the run; unknown ones are never guessed. */

import { ConfigError } from "../../../errors.ts";
import { pause } from "../../../lib/pause.ts";
import { CostProblem } from "../../runbook_cel/cost.ts";
import { type Logic, parseLogic } from "../../runbook_cel/expression.ts";
import { sourcesIn } from "../../runbook_cel/template.ts";
import { parseTemplate } from "../../runbook_cel/template_text.ts";
import { holds, render } from "../engine/scope.ts";
import type { Certainty, Unknown } from "./plan.ts";
import type { Expression } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";
import { findNeeds, together } from "./needed_values.ts";
import {
  type PlanPosition,
  type PlanValue,
  UnknownValue,
} from "./plan_position.ts";
import { noteUnknown, type Planner } from "./planner.ts";

/**
 * Evaluates a template.
 *
 * @param at Field of a step; a value that only the run knows is noted for it.
 * @throws {ConfigError} If it can never have a value.
 */
export async function planValue(
  planner: Planner,
  place: PlanPosition,
  template: Template,
  at?: Pick<Unknown, "path" | "what">,
): Promise<PlanValue> {
  await breathe(planner);
  const unknown = findUnknown(planner, place, template);
  if (unknown === undefined) {
    return await render(planner.engine, place.frame, template);
  }
  if (at !== undefined) noteUnknown(planner, { ...at, ...unknown });
  return unknown;
}

/** Finds what a template lacks before the run; `undefined` when it has a value. */
export function findUnknown(
  planner: Planner,
  place: PlanPosition,
  template: Template,
): UnknownValue | undefined {
  const missing = sourcesIn(template).flatMap((source) => {
    const needs = findNeeds(planner, place, source);
    return needs === undefined ? [] : [{ source, needs }];
  });
  const needs = together(missing.map((one) => one.needs));
  return needs === undefined
    ? undefined
    : new UnknownValue(needs, missing.map(({ source }) => source).join(", "));
}

/** Cost of expressions before planning yields to signals; some tenths of a second. */
const breathEvery = 1_000_000;

/** Yields, so that an interrupt is handled during long computations. */
async function breathe(planner: Planner): Promise<void> {
  if (planner.budget.left > planner.breath - breathEvery) return;
  planner.breath = planner.budget.left;
  await pause(0);
  planner.signal.throwIfAborted();
}

interface ConditionValue {
  readonly holds: Certainty;
  readonly needs: readonly string[];
}

/**
 * Evaluates a condition; it is known as soon as one part decides.
 *
 * @throws {ConfigError} If it can never have a value.
 */
export async function planTruth(
  planner: Planner,
  place: PlanPosition,
  condition: Expression,
): Promise<ConditionValue> {
  if (findNeeds(planner, place, condition) === undefined) {
    return await evaluateKnown(planner, place, condition);
  }
  return await truthIn(planner, place, parseLogic(condition));
}

async function evaluateKnown(
  planner: Planner,
  { frame }: PlanPosition,
  condition: Expression,
): Promise<ConditionValue> {
  await breathe(planner);
  const value = await holds(planner.engine, frame, condition);
  return { holds: value ? "yes" : "no", needs: [] };
}

async function truthIn(
  planner: Planner,
  place: PlanPosition,
  logic: Logic,
): Promise<ConditionValue> {
  const inner = (part: Logic) => truthIn(planner, place, part);
  switch (logic.op) {
    case "leaf":
      return await leaf(planner, place, logic.source);
    case "not":
      return opposite(await inner(logic.part));
    case "and":
      return both(await Promise.all(logic.parts.map(inner)));
    case "or":
      return opposite(
        both((await Promise.all(logic.parts.map(inner))).map(opposite)),
      );
    case "choice": {
      const when = await inner(logic.when);
      if (when.holds === "yes") return await inner(logic.yes);
      if (when.holds === "no") return await inner(logic.no);
      const ways = await Promise.all([logic.yes, logic.no].map(inner));
      const [yes, no] = ways.map(({ holds }) => holds);
      if (yes !== undefined && yes === no && yes !== "unknown") {
        return { holds: yes, needs: [] };
      }
      return unknown([when, ...ways]);
    }
  }
}

async function leaf(
  planner: Planner,
  place: PlanPosition,
  source: string,
): Promise<ConditionValue> {
  const needs = findNeeds(planner, place, source);
  if (needs !== undefined) return { holds: "unknown", needs };
  try {
    return await evaluateKnown(planner, place, source);
  } catch (error) {
    // A part may have no value where the whole has one: an earlier part may test for its presence.
    const isOfPart = error instanceof ConfigError &&
      !(error.cause instanceof CostProblem);
    if (!isOfPart) throw error;
    return { holds: "unknown", needs: [] };
  }
}

const opposites = { yes: "no", no: "yes", unknown: "unknown" } as const;

function opposite({ holds, needs }: ConditionValue): ConditionValue {
  return { holds: opposites[holds], needs };
}

function both(parts: readonly ConditionValue[]): ConditionValue {
  const no = parts.find(({ holds }) => holds === "no");
  if (no !== undefined) return { holds: "no", needs: [] };
  return parts.every(({ holds }) => holds === "yes")
    ? { holds: "yes", needs: [] }
    : unknown(parts);
}

function unknown(parts: readonly ConditionValue[]): ConditionValue {
  const open = parts.filter(({ holds }) => holds === "unknown");
  return {
    holds: "unknown",
    needs: [...new Set(open.flatMap((p) => p.needs))],
  };
}

/** Renders a text for display; expressions known only at run time stay as written. */
export async function planText(
  planner: Planner,
  place: PlanPosition,
  template: Template,
): Promise<string> {
  if (typeof template !== "string") return String(template);
  const texts: string[] = [];
  for (const part of parseTemplate(template).parts) {
    if ("text" in part) texts.push(part.text);
    // Sequential; nothing here waits.
    else texts.push(await partText(planner, place, part.source));
  }
  return texts.join("");
}

async function partText(
  planner: Planner,
  place: PlanPosition,
  source: string,
): Promise<string> {
  const written = `\${{ ${source} }}`;
  if (findNeeds(planner, place, source) !== undefined) return written;
  try {
    // A leading character makes it a text, as in the whole template.
    const { engine } = planner;
    return String(await render(engine, place.frame, `:${written}`)).slice(1);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return written;
  }
}

/**
 * Evaluates a condition; also unknown when it has no value now, where the run would fail unless it has one by
 * then.
 */
export async function planCondition(
  planner: Planner,
  place: PlanPosition,
  when: string,
): Promise<ConditionValue> {
  try {
    return await planTruth(planner, place, when);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { holds: "unknown", needs: [] };
  }
}
