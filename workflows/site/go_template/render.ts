/** Renders Go templates: the language of `text/template`, with functions of sprig and Helm. */

import { ConfigError } from "../../../errors.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { misread } from "../../../lib/text/text_position.ts";
import {
  FunctionProblem,
  functions,
  type TemplateFunction,
} from "./functions.ts";
import {
  type Expression,
  type Fail,
  parseGoTemplate,
  type TemplateNode,
} from "./parse.ts";
import {
  findKind,
  formatValue,
  GoFloat,
  type GoMap,
  type GoValue,
  isList,
  isTrue,
  sortedEntries,
} from "./values.ts";

/** Options of {@linkcode renderGoTemplate}. */
export interface GoTemplateOptions {
  /** Its name in messages. */
  readonly file: string;
  /** Value of an environment variable, for `env`. */
  readonly env: (name: string) => string | undefined;
}

interface Scope {
  readonly dot: GoValue;
  readonly variables: Map<string, { value: GoValue }>;
}

interface Renderer {
  readonly fail: Fail;
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>;
  readonly functions: Readonly<Record<string, TemplateFunction>>;
  out: string[];
  steps: number;
  depth: number;
}

/** Limits of one template, against endless ones. */
const mostSteps = 1_000_000;
const deepest = 100;

/** Ends a turn of a `range`. */
class LoopEnd {
  constructor(readonly kind: "break" | "continue") {}
}

/**
 * Renders a template. A missing key is an error.
 *
 * @param text The template.
 * @param root Its dot.
 * @throws {ConfigError} By line and column: what it does not parse, a function that does not exist, a missing key.
 */
export function renderGoTemplate(
  text: string,
  root: GoMap,
  { file, env }: GoTemplateOptions,
): string {
  const fail: Fail = (at, fault, hint) => {
    const before = text.slice(0, at).split("\n");
    const column = (before.at(-1) ?? "").length + 1;
    throw misread(file, { line: before.length, column }, fault, hint);
  };
  const { nodes, defined } = parseGoTemplate(text, fail);
  const renderer: Renderer = {
    fail,
    defined,
    functions: {
      ...functions,
      env: { from: 1, to: 1, call: (name) => env(formatValue(name)) ?? "" },
    },
    out: [],
    steps: 0,
    depth: 0,
  };
  const variables = new Map([["$", { value: root as GoValue }]]);
  const ended = walk(nodes, { dot: root, variables }, renderer);
  if (ended !== undefined) fail(0, `"${ended.kind}" is outside of a range`);
  return renderer.out.join("");
}

function walk(
  nodes: readonly TemplateNode[],
  scope: Scope,
  renderer: Renderer,
): LoopEnd | undefined {
  for (const node of nodes) {
    if (++renderer.steps > mostSteps) {
      renderer.fail(node.at, `It takes more than ${mostSteps} steps`);
    }
    const ended = render(node, scope, renderer);
    if (ended !== undefined) return ended;
  }
}

function render(
  node: TemplateNode,
  scope: Scope,
  renderer: Renderer,
): LoopEnd | undefined {
  switch (node.kind) {
    case "text":
      renderer.out.push(node.text);
      return;
    case "print":
      renderer.out.push(formatValue(evaluate(node.value, scope, renderer)));
      return;
    case "assign": {
      const value = evaluate(node.value, scope, renderer);
      const known = scope.variables.get(node.name);
      if (node.declares) scope.variables.set(node.name, { value });
      else if (known !== undefined) known.value = value;
      else renderer.fail(node.at, `There is no variable "${node.name}"`);
      return;
    }
    case "if":
    case "with": {
      const value = evaluate(node.value, scope, renderer);
      const inner = inside(scope);
      if (node.name !== undefined) inner.variables.set(node.name, { value });
      if (!isTrue(value)) return walk(node.otherwise, inner, renderer);
      const dot = node.kind === "with" ? value : scope.dot;
      return walk(node.body, { ...inner, dot }, renderer);
    }
    case "range":
      return renderRange(node, scope, renderer);
    case "break":
    case "continue":
      return new LoopEnd(node.kind);
    case "template": {
      const dot = node.value === undefined
        ? null
        : evaluate(node.value, scope, renderer);
      include(node.name, dot, node.at, renderer);
    }
  }
}

function renderRange(
  node: TemplateNode & { readonly kind: "range" },
  scope: Scope,
  renderer: Renderer,
): LoopEnd | undefined {
  const { names, body, otherwise } = node;
  const value = evaluate(node.value, scope, renderer);
  const entries = listEntries(value);
  if (entries === undefined) {
    return renderer.fail(
      node.value.at,
      `"range" needs a list or a mapping: this is ${findKind(value)}`,
    );
  }
  if (entries.length === 0) return walk(otherwise, inside(scope), renderer);
  for (const [key, dot] of entries) {
    const inner = inside(scope);
    const [first, second] = names;
    if (second !== undefined) inner.variables.set(second, { value: dot });
    if (first !== undefined) {
      inner.variables.set(first, { value: second === undefined ? dot : key });
    }
    const ended = walk(body, { ...inner, dot }, renderer);
    if (ended?.kind === "break") break;
  }
}

function listEntries(
  value: GoValue,
): readonly (readonly [GoValue, GoValue])[] | undefined {
  if (value === null) return [];
  if (value instanceof Map) return sortedEntries(value);
  if (isList(value)) return value.map((one, index) => [index, one]);
  if (typeof value !== "number" || value > mostSteps) return undefined;
  return Array.from({ length: Math.max(0, value) }, (_, i) => [i, i]);
}

/** A block has variables of its own, and those around. */
function inside({ dot, variables }: Scope): Scope {
  return { dot, variables: new Map(variables) };
}

function include(
  name: string,
  dot: GoValue,
  at: number,
  renderer: Renderer,
): void {
  const nodes = renderer.defined.get(name);
  if (nodes === undefined) {
    return renderer.fail(at, `There is no template "${name}"`);
  }
  if (++renderer.depth > deepest) {
    renderer.fail(at, `Template "${name}" uses itself without an end`);
  }
  walk(nodes, { dot, variables: new Map([["$", { value: dot }]]) }, renderer);
  renderer.depth--;
}

function evaluate(
  expression: Expression,
  scope: Scope,
  renderer: Renderer,
): GoValue {
  const { fail } = renderer;
  const { at } = expression;
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "float":
      return new GoFloat(expression.value);
    case "dot":
      return scope.dot;
    case "variable": {
      const known = scope.variables.get(expression.name);
      if (known !== undefined) return known.value;
      return fail(at, `There is no variable "${expression.name}"`);
    }
    case "field": {
      const of = evaluate(expression.of, scope, renderer);
      const { name } = expression;
      if (!(of instanceof Map)) {
        return fail(at, `There is no "${name}" in ${describe(of)}`);
      }
      const value = of.get(name);
      if (value !== undefined) return value;
      const near = nearest(name, of.keys());
      return fail(
        at,
        `There is no key "${name}"`,
        near === undefined ? undefined : `Did you mean "${near}"?`,
      );
    }
    case "call":
      return call(expression, scope, renderer);
  }
}

function describe(value: GoValue): string {
  return value === null
    ? "an absent value"
    : `a value of kind ${findKind(value)}`;
}

function call(
  expression: Expression & { readonly kind: "call" },
  scope: Scope,
  renderer: Renderer,
): GoValue {
  const { name, args, at } = expression;
  const { fail } = renderer;
  const value = (one: Expression) => evaluate(one, scope, renderer);
  // Only as many arguments as needed are evaluated.
  if (name === "and" || name === "or") {
    let last: GoValue = null;
    for (const arg of args) {
      last = value(arg);
      if (isTrue(last) === (name === "or")) break;
    }
    return last;
  }
  if (name === "include" && args.length === 2) {
    const [title, dot] = args.map(value);
    const { out } = renderer;
    renderer.out = [];
    include(formatValue(title ?? null), dot ?? null, at, renderer);
    const text = renderer.out.join("");
    renderer.out = out;
    return text;
  }
  const known = Object.hasOwn(renderer.functions, name)
    ? renderer.functions[name]
    : undefined;
  if (known === undefined) {
    const near = nearest(name, Object.keys(renderer.functions));
    return fail(
      at,
      `There is no function "${name}"`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }
  const { from, to } = known;
  if (args.length < from || args.length > to) {
    const wanted = from === to
      ? `${from}`
      : to === Infinity
      ? `at least ${from}`
      : `${from} to ${to}`;
    return fail(
      at,
      `Function "${name}" takes ${wanted} arguments, not ${args.length}`,
    );
  }
  const values = args.map(value);
  try {
    return known.call(...values);
  } catch (error) {
    const isExpected = error instanceof FunctionProblem ||
      error instanceof ConfigError || error instanceof SyntaxError;
    if (!isExpected) throw error;
    return fail(at, `Function "${name}": ${error.message}`);
  }
}
