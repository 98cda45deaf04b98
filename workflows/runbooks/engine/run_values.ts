/** Inputs, constants and groups of a running runbook. */

import type { Json } from "../../../lib/json.ts";
import type { Runbook } from "../runbook.ts";
import type { Seeing } from "./engine.ts";
import {
  enterUse,
  type Frame,
  groupIn,
  makeFrame,
  type RunbookScope,
} from "./frame.ts";
import { groupKey } from "../journal/history.ts";
import { type GroupContext, refuseUnknown, resolveGroup } from "./groups.ts";
import { expressionContext, render } from "./scope.ts";

/** Adds the defaults of inputs that were not given. */
export function withInitials<Value = Json>(
  runbook: Pick<Runbook, "inputs">,
  given: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | Json>> {
  const initial = Object.entries(runbook.inputs)
    .flatMap(([name, input]) =>
      input.initial === undefined ? [] : [[name, input.initial] as const]
    );
  return { ...Object.fromEntries(initial), ...given };
}

/**
 * Enters a runbook: computes its constants, and resolves its groups unless they are resolved already.
 *
 * @param path Path of the step that uses it; empty for the runbook of the run.
 */
export async function enterBook(
  engine: Seeing,
  runbook: Runbook,
  path: string,
  given: Readonly<Record<string, Json>>,
  around?: Frame<unknown>,
): Promise<RunbookScope> {
  const vars: Record<string, Json> = {};
  const inputs = withInitials(runbook, given);
  const book: RunbookScope = { runbook, path, inputs, vars };
  const frame = around === undefined ? makeFrame(book) : enterUse(around, book);
  for (const { name, value } of runbook.vars) {
    vars[name] = await render(engine, frame, value);
  }
  for (const name of Object.keys(runbook.groups)) {
    const key = groupKey(book, name);
    if (engine.groups.has(key)) continue;
    engine.groups.set(key, await resolve(engine, frame, name, true));
  }
  return book;
}

/**
 * Resolves a group now.
 *
 * @param begins True at the start of the runbook: all nodes that the group names are required.
 * @throws {ConfigError} If one is missing.
 */
export async function resolve(
  engine: Seeing,
  frame: Frame<unknown>,
  name: string,
  begins = false,
): Promise<readonly string[]> {
  const group = groupIn(frame, name);
  // A plan resolves no group that reads a value which only a run knows.
  const { book } = frame as Frame;
  const { nodes, cluster } = await engine.facts.recent();
  const scope = {
    inputs: book.inputs,
    vars: book.vars,
    groups: {},
    cluster,
    steps: {},
    decisions: {},
  };
  const at = expressionContext({ book, path: book.path });
  const changed = () => [...frame.changed?.() ?? []];
  const census: GroupContext = {
    nodes,
    group: (other) =>
      book.runbook.groups[other]?.changed
        ? changed()
        : engine.groups.get(groupKey(book, other)) ?? [],
    changed,
    holds: (where, node) =>
      engine.evaluator.evaluate(where, { ...scope, node }, at) === true,
    render: (template) => engine.evaluator.render(template, scope, at),
  };
  // Later a node may have left the cluster, which is not a problem.
  if (begins) refuseUnknown(name, group, census);
  const found = resolveGroup(group, census);
  return engine.limit === undefined
    ? found
    : found.filter((node) => engine.limit?.has(node));
}
