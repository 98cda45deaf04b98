import type { GateCheck, Runbook, Step } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";

interface Visit {
  readonly step: Step;
  /** True inside of a `forEach`, and in runbooks that are `per: node`. */
  readonly onNode: boolean;
}

/** Goes through the steps of a runbook, without those of runbooks that it uses. */
export function* stepsIn(runbook: Runbook): Generator<Visit> {
  const onNode = runbook.per === "node";
  for (const list of [runbook.steps, runbook.rescue, runbook.always]) {
    yield* visits(list, onNode);
  }
}

/**
 * Goes through steps and what is in them, also in runbooks that they use.
 *
 * @param seen Runbooks that were gone through already; each is taken once.
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

/** The lists of steps in a step. */
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
  /** Ids from the outermost step on, with slashes. */
  readonly path: string;
  /** What it does, in a few words: `run etcd.snapshot`, `for each of workers, 1 at once`. */
  readonly does: string;
  /** Its one line; null when it has none. */
  readonly title: string | null;
  /** Condition it is done under; null when it is always done. */
  readonly when: string | null;
  /** Which list of the step around it is in; `steps` for the work itself. */
  readonly part: "steps" | "rescue" | "always";
}

/**
 * Lists steps, each followed by those in it; steps of used runbooks are left to them.
 *
 * @param lists The work, what is done when it fails, and what is done in any case.
 * @param around Path of the step they are in; empty at the top.
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
      return `wait ${shown(step.within)} for ${checksText(step.checks)}`;
    case "approve":
      return step.destructive
        ? `ask (${step.tag}, destructive)`
        : `ask (${step.tag})`;
    case "assert":
      return `stop unless ${step.that}`;
    case "decide":
      return `decide ${step.name}`;
    case "sleep":
      return `sleep ${shown(step.duration)}`;
    case "forEach":
      return `for each of ${step.nodes}, ${shown(step.strategy.batch)} at once`;
    case "block":
      return "together";
    case "use":
      return `use ${step.runbook.name}`;
  }
}

function checksText(checks: readonly GateCheck[]): string {
  return checks.map(({ check }) => check).join(", ");
}

function shown(value: Template): string {
  return Array.isArray(value)
    ? value.map(String).join(", then ")
    : String(value);
}
