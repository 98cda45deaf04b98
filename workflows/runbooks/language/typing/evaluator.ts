/** Values of expressions while a runbook runs. */

import {
  evaluate,
  references,
  type Values,
} from "../../../expression/expression.ts";
import { renderTemplate, sourcesIn } from "../../../expression/template.ts";
import type { Budget } from "../../../expression/cost.ts";
import type { World } from "../../../expression/declare.ts";
import type { Evaluator, Standing } from "../../engine/engine_options.ts";
import type { Scope } from "../../facts.ts";
import type { Field, Fields } from "../../field.ts";
import type { Found } from "../lookup.ts";
import { listsOf } from "../walk.ts";
import type { Runbook, Step, Template } from "../../runbook.ts";
import { namesWhileRunning } from "./check_runbook.ts";
import { outputOf } from "./scope_fields.ts";

/** What is known of a run. */
export interface Knowledge {
  /** Whether something of a step was ever begun, by its path: `controlplane/node/restart`. */
  readonly reached: (path: string) => boolean;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
  /** What all expressions may cost together; default, each what it may cost alone. */
  readonly budget?: Budget;
}

/**
 * Makes what evaluates the expressions of a run.
 *
 * @param found What its runbooks name.
 * @param knowledge What is known of it.
 */
export function makeEvaluator(
  found: Found,
  knowledge: Knowledge,
): Evaluator {
  const names = new Map<Runbook, Map<string, Fields>>();
  const namesAt = (at: Standing): Fields => {
    const own = names.get(at.runbook) ?? new Map<string, Fields>();
    names.set(at.runbook, own);
    const key = `${innerPath(at)}#${at.module ?? ""}`;
    const made = own.get(key) ??
      namesWhileRunning(at.runbook, found, innerPath(at), resultOf(at, found));
    own.set(key, made);
    return made;
  };
  const worldAt = (at: Standing): World => ({
    reached: (id) => pathsOf(id, at).some((path) => knowledge.reached(path)),
    now: knowledge.now,
    ...knowledge.budget && { budget: knowledge.budget },
    changed: ({ name, address }) => {
      const changed = at.changed?.() ?? new Set();
      return changed.has(name) || changed.has(address);
    },
  });
  return {
    evaluate: (source, scope, at) =>
      evaluate(source, namesAt(at), valuesOf(scope), worldAt(at)) ?? null,
    render: (template, scope, at) =>
      renderTemplate(template, namesAt(at), valuesOf(scope), worldAt(at)) ??
        null,
    references: rootsIn,
  };
}

function resultOf({ module }: Standing, found: Found): Field | undefined {
  return module === undefined ? undefined : outputOf(module, found);
}

function innerPath({ book, path }: Standing): string {
  return book === "" ? path : path.slice(book.length + 1);
}

function valuesOf(scope: Scope): Values {
  // All of it is JSON.
  return scope as unknown as Values;
}

function rootsIn(template: Template): ReadonlySet<string> {
  return new Set(
    sourcesIn(template).flatMap((source) => references(source).references)
      .filter(({ over }) => over === undefined)
      .flatMap(({ path: [root, member] }) =>
        member ? [`${root}`, `${root}.${member}`] : [`${root}`]
      ),
  );
}

/** Paths of the steps that an id stands for: its siblings first, then those around. */
function pathsOf(id: string, at: Standing): readonly string[] {
  const { runbook, book } = at;
  const inside = innerPath(at).split("/").filter((part) => part !== "");
  for (let depth = inside.length; depth >= 0; depth--) {
    const above = inside.slice(0, depth);
    if (siblings(runbook, above).some((step) => step.id === id)) {
      return [[book, ...above, id].filter((part) => part !== "").join("/")];
    }
  }
  return [];
}

/** Steps in what a path leads to. */
function siblings(runbook: Runbook, path: readonly string[]): readonly Step[] {
  const { steps, rescue, always } = runbook;
  return path.reduce<readonly Step[]>(
    (list, id) => list.filter((step) => step.id === id).flatMap(listsOf).flat(),
    [...steps, ...rescue, ...always],
  );
}
