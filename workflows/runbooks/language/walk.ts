import type { GateCheck, Runbook, Step } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";

interface Visit {
  readonly step: Step;
  /** True inside a `forEach`, and in runbooks with `per: node`. */
  readonly onNode: boolean;
}

/** Walks the steps of a runbook, without those of used runbooks. */
export function* stepsIn(runbook: Runbook): Generator<Visit> {
  const onNode = runbook.per === "node";
  for (const list of [runbook.steps, runbook.rescue, runbook.always]) {
    yield* visits(list, onNode);
  }
}

/**
 * Walks steps and their inner steps, including used runbooks.
 *
 * @param seen Visited runbooks; each is visited once.
 */
export function* allSteps(
  steps: readonly Step[],
  seen: Set<Runbook> = new Set(),
): Generator<Step> {
  for (const { step } of visits(steps, false)) {
    yield step;
    if (step.verb !== "use" || seen.has(step.runbook)) continue;
    seen.add(step.runbook);
    const { runbook } = step;
    for (const list of [runbook.steps, runbook.rescue, runbook.always]) {
      yield* allSteps(list, seen);
    }
  }
}

/** Lists of steps in a step. */
export function listLists(step: Step): readonly (readonly Step[])[] {
  return step.verb === "forEach" || step.verb === "block"
    ? [step.steps, step.rescue, step.always]
    : [];
}

function* visits(steps: readonly Step[], onNode: boolean): Generator<Visit> {
  for (const step of steps) {
    yield { step, onNode };
    const within = onNode || step.verb === "forEach";
    for (const list of listLists(step)) yield* visits(list, within);
  }
}

/** A step in an outline. */
export interface OutlineStep {
  /** Ids from the outermost step, separated by slashes. */
  readonly path: string;
  /** Short summary: `run etcd.snapshot`, `for each of workers, 1 at once`. */
  readonly does: string;
  /** Title; null when absent. */
  readonly title: string | null;
  /** Condition; null when it always runs. */
  readonly when: string | null;
  /** List of the enclosing step that contains it. */
  readonly part: "steps" | "rescue" | "always";
}

/**
 * Lists steps, each followed by its inner steps; without steps of used runbooks.
 *
 * @param lists Steps, `rescue` and `always`.
 * @param around Path of the enclosing step; empty at the top.
 */
export function makeOutline(
  lists: Readonly<Record<OutlineStep["part"], readonly Step[]>>,
  around = "",
): readonly OutlineStep[] {
  const parts = ["steps", "rescue", "always"] as const;
  return parts.flatMap((part) =>
    lists[part].flatMap((step) => {
      const path = around === "" ? step.id : `${around}/${step.id}`;
      const { title = null, when = null } = step;
      const inner = step.verb === "forEach" || step.verb === "block"
        ? makeOutline(step, path)
        : [];
      return [{ path, does: formatStep(step), title, when, part }, ...inner];
    })
  );
}

function formatStep(step: Step): string {
  switch (step.verb) {
    case "run":
      return `run ${step.module}`;
    case "gate":
      return `wait ${formatPath(step.within)} for ${checksText(step.checks)}`;
    case "approve":
      return step.destructive
        ? `ask (${step.tag}, destructive)`
        : `ask (${step.tag})`;
    case "assert":
      return `stop unless ${step.that}`;
    case "decide":
      return `decide ${step.name}`;
    case "sleep":
      return `sleep ${formatPath(step.duration)}`;
    case "forEach":
      return `for each of ${step.nodes}, ${
        formatPath(step.strategy.batch)
      } at once`;
    case "block":
      return "together";
    case "use":
      return `use ${step.runbook.name}`;
  }
}

function checksText(checks: readonly GateCheck[]): string {
  return checks.map(({ check }) => check).join(", ");
}

function formatPath(value: Template): string {
  return Array.isArray(value)
    ? value.map(String).join(", then ")
    : String(value);
}
