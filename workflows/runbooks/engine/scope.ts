import { durationMs } from "./duration.ts";
import type { Json } from "../../../lib/json.ts";
import type { Scope } from "../../runbook_cel/facts.ts";
import type { Template } from "../../runbook_cel/field.ts";
import type { Frame } from "./frame.ts";
import { groupKey } from "../journal/history.ts";
import type { Seeing } from "./engine.ts";
import type { ExpressionContext } from "../language/typing/evaluator.ts";

interface ExtraValues extends Partial<Pick<Scope, "result">> {
  /** Module whose output `result` is. */
  readonly module?: string;
}

/**
 * Evaluates an expression or template.
 *
 * @param template Expression or template; its nodes are those last read.
 * @param extra More names in scope.
 */
export async function render(
  engine: Seeing,
  frame: Frame<unknown>,
  template: Template,
  extra: ExtraValues = {},
): Promise<Json> {
  const scope = await makeScope(engine, frame, template, extra);
  return engine.evaluator.render(
    template,
    scope,
    expressionContext(frame, extra),
  );
}

/** Evaluates a condition. */
export async function holds(
  engine: Seeing,
  frame: Frame<unknown>,
  condition: string,
  extra: ExtraValues = {},
): Promise<boolean> {
  const template = `\${{ ${condition} }}`;
  const scope = await makeScope(engine, frame, template, extra);
  const at = expressionContext(frame, extra);
  return engine.evaluator.evaluate(condition, scope, at) === true;
}

/** Makes the context of an expression. */
export function expressionContext(
  { book, path, changed }: Pick<Frame<unknown>, "book" | "path" | "changed">,
  { module }: ExtraValues = {},
): ExpressionContext {
  return {
    runbook: book.runbook,
    book: book.path,
    path,
    ...(changed === undefined ? {} : { changed }),
    ...(module === undefined ? {} : { module }),
  };
}

/** Evaluates a duration, in milliseconds. */
export async function milliseconds(
  engine: Seeing,
  frame: Frame<unknown>,
  template: Template,
): Promise<number> {
  return durationMs(String(await render(engine, frame, template)));
}

async function makeScope(
  engine: Seeing,
  frame: Frame<unknown>,
  template: Template,
  { result }: ExtraValues,
): Promise<Scope> {
  // A plan evaluates no expression that reads a value which only a run knows.
  const { book, node, error, around, outputs } = frame as Frame;
  const wanted = engine.evaluator.references(template);
  const needsAll = wanted.has("cluster") || wanted.has("groups");
  const needsNode = wanted.has("node") && node !== undefined;
  const facts = needsAll
    ? await engine.facts.recent()
    : needsNode
    ? await engine.facts.recent([node])
    : engine.facts.last();
  const byName = new Map(facts.nodes.map((one) => [one.name, one]));
  const groups: Record<string, Scope["groups"][string]> = {};
  // Only referenced groups are built: one may have a thousand nodes.
  for (
    const name of wanted.has("groups") ? Object.keys(book.runbook.groups) : []
  ) {
    const names = engine.groups.get(groupKey(book, name)) ?? [];
    groups[name] = names.flatMap((one) => byName.get(one) ?? []);
  }
  const found = node === undefined ? undefined : byName.get(node);
  return {
    inputs: book.inputs,
    vars: book.vars,
    groups,
    cluster: facts.cluster,
    steps: Object.fromEntries(
      [...around, outputs].flatMap((one) => [...one]),
    ),
    decisions: Object.fromEntries(engine.decisions) as Scope["decisions"],
    ...(found === undefined ? {} : { node: found }),
    ...(error === undefined ? {} : { error }),
    ...(result === undefined ? {} : { result }),
  };
}
