import {
  evaluate,
  type ExpressionValues,
  references,
} from "../../../runbook_cel/expression.ts";
import { renderTemplate, sourcesIn } from "../../../runbook_cel/template.ts";
import type { Budget } from "../../../runbook_cel/cost.ts";
import type { RunQueries } from "../../../runbook_cel/declare.ts";
import type { Json } from "../../../../lib/json.ts";
import type { Scope } from "../../../runbook_cel/facts.ts";
import type {
  Template,
  ValueField,
  ValueFields,
} from "../../../runbook_cel/field.ts";
import type { FoundNames } from "../lookup.ts";
import { listLists } from "../walk.ts";
import type { Expression, Runbook, Step } from "../../runbook.ts";
import { namesWhileRunning } from "./check_runbook.ts";
import { typeOutput } from "./scope_fields.ts";

/** Position of an expression, which determines its scope. */
export interface ExpressionContext {
  readonly runbook: Runbook;
  /** Path of the step that uses the runbook; empty for the one that was started. */
  readonly book: string;
  /** Path of the enclosing step, including the path of the book; empty at the top. */
  readonly path: string;
  /** Module whose output is `result`; absent when there is none, or it is unknown. */
  readonly module?: string;
  /** Nodes, by name or address, that the enclosing block has changed; absent before the run. */
  readonly changed?: () => ReadonlySet<string>;
}

/** Evaluates expressions. */
export interface Evaluator {
  /** Evaluates an expression; null for a name without a value. Throws `ConfigError` if it has no value. */
  readonly evaluate: (
    source: Expression,
    scope: Scope,
    at: ExpressionContext,
  ) => Json;
  /** Renders a template; null when it is absent as a whole. Throws `ConfigError` if it has no value. */
  readonly render: (
    template: Template,
    scope: Scope,
    at: ExpressionContext,
  ) => Json;
  /** Names in an expression or template, with their first members: `groups`, `groups.workers`, `node`. */
  readonly references: (template: Template) => ReadonlySet<string>;
}

interface Knowledge {
  /** Reports whether any part of a step was ever started, by path: `controlplane/node/restart`. */
  readonly reached: (path: string) => boolean;
  /** Current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Cost limit of all expressions together; default, a limit for each. */
  readonly budget?: Budget;
}

/** Makes the evaluator of a run. */
export function makeEvaluator(
  found: FoundNames,
  knowledge: Knowledge,
): Evaluator {
  const names = new Map<Runbook, Map<string, ValueFields>>();
  const namesAt = (at: ExpressionContext): ValueFields => {
    const own = names.get(at.runbook) ?? new Map<string, ValueFields>();
    names.set(at.runbook, own);
    const key = `${innerPath(at)}#${at.module ?? ""}`;
    const made = own.get(key) ??
      namesWhileRunning(
        at.runbook,
        found,
        innerPath(at),
        findResult(at, found),
      );
    own.set(key, made);
    return made;
  };
  const worldAt = (at: ExpressionContext): RunQueries => ({
    reached: (id) => listPaths(id, at).some((path) => knowledge.reached(path)),
    now: knowledge.now,
    ...knowledge.budget && { budget: knowledge.budget },
    changed: ({ name, address }) => {
      const changed = at.changed?.() ?? new Set();
      return changed.has(name) || changed.has(address);
    },
  });
  return {
    evaluate: (source, scope, at) =>
      evaluate(source, namesAt(at), toValues(scope), worldAt(at)) ?? null,
    render: (template, scope, at) =>
      renderTemplate(template, namesAt(at), toValues(scope), worldAt(at)) ??
        null,
    references: rootsIn,
  };
}

function findResult(
  { module }: ExpressionContext,
  found: FoundNames,
): ValueField | undefined {
  return module === undefined ? undefined : typeOutput(module, found);
}

function innerPath({ book, path }: ExpressionContext): string {
  return book === "" ? path : path.slice(book.length + 1);
}

function toValues(scope: Scope): ExpressionValues {
  // The scope is JSON.
  return scope as unknown as ExpressionValues;
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

/** Paths that a step id may refer to: siblings first, then enclosing lists. */
function listPaths(id: string, at: ExpressionContext): readonly string[] {
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

function siblings(runbook: Runbook, path: readonly string[]): readonly Step[] {
  const { steps, rescue, always } = runbook;
  return path.reduce<readonly Step[]>(
    (list, id) =>
      list.filter((step) => step.id === id).flatMap(listLists).flat(),
    [...steps, ...rescue, ...always],
  );
}
