/** Parses Go templates into functions that render them. */

import { nearest } from "../../lib/text/nearest.ts";
import { FunctionProblem, type GoFunction } from "./function.ts";
import { type Fail, type Token, tokenize } from "./lex.ts";
import {
  findKind,
  formatValue,
  GoFloat,
  type GoValue,
  isTrue,
  listEntries,
} from "./values.ts";

/** What a part of a template sees. */
export interface Scope {
  readonly dot: GoValue;
  readonly variables: Map<string, { value: GoValue }>;
}

type Part = (scope: Scope) => void;

interface Expression {
  readonly at: number;
  readonly value: (scope: Scope) => GoValue;
}

/** What the parts of one template share. */
export interface Template {
  readonly fail: Fail;
  readonly functions: Readonly<Record<string, GoFunction>>;
  out: string[];
  steps: number;
}

interface Parser extends Template {
  readonly tokens: readonly Token[];
  next: number;
}

/** Most parts that one template renders, against endless ones. */
const mostSteps = 1_000_000;

/** Parses a template. Its functions are looked up now, its keys when it is rendered. */
export function parseGoTemplate(text: string, template: Template): Part {
  const tokens = tokenize(text, template.fail);
  // The parts see the counters of the parser.
  const parser: Parser = Object.assign(template, { tokens, next: 0 });
  const { part, end } = parseParts(parser);
  if (end !== undefined) parser.fail(end.at, `Unexpected {{${end.text}}}`);
  return part;
}

/** `end`: the `end` or `else` that has been read; `undefined` at the end of the text. */
function parseParts(
  parser: Parser,
): { readonly part: Part; readonly end: Token | undefined } {
  const parts: (readonly [number, Part])[] = [];
  let end: Token | undefined;
  for (;;) {
    const token = parser.tokens[parser.next++];
    if (token === undefined) break;
    const { kind, text, at } = token;
    if (kind === "text") {
      parts.push([at, () => void parser.out.push(text)]);
      continue;
    }
    if (takes(parser, "word", "end") || takes(parser, "word", "else")) {
      end = parser.tokens[parser.next - 1];
      break;
    }
    if (takes(parser, "close")) continue;
    parts.push([at, parseAction(parser, at)]);
  }
  const part: Part = (scope) => {
    // A declared variable is seen by the parts that follow.
    const inner = { ...scope, variables: new Map(scope.variables) };
    for (const [at, one] of parts) {
      if (++parser.steps > mostSteps) {
        parser.fail(at, `It takes more than ${mostSteps} steps`);
      }
      one(inner);
    }
  };
  return { part, end };
}

function parseAction(parser: Parser, at: number): Part {
  const { fail } = parser;
  const word = peek(parser);
  const name = word?.kind === "word" ? word.text : "";
  switch (name) {
    case "if":
    case "with":
    case "range":
      parser.next++;
      return parseControl(parser, name, at);
    case "define":
    case "template":
    case "block":
    case "break":
    case "continue":
      fail(word?.at ?? at, `"${name}" is not supported`);
  }
  if (word?.kind === "variable" && /^:?=$/.test(peek(parser, 1)?.text ?? "")) {
    return parseAssignment(parser, word);
  }
  const { value } = parsePipeline(parser);
  close(parser);
  return (scope) => void parser.out.push(formatValue(value(scope)));
}

function parseAssignment(parser: Parser, { text, at }: Token): Part {
  const declares = peek(parser, 1)?.text === ":=";
  parser.next += 2;
  const { value } = parsePipeline(parser);
  close(parser);
  return ({ dot, variables }) => {
    const result = value({ dot, variables });
    const known = variables.get(text);
    if (declares) variables.set(text, { value: result });
    else if (known !== undefined) known.value = result;
    else parser.fail(at, `There is no variable "${text}"`);
  };
}

function parseControl(
  parser: Parser,
  kind: "if" | "with" | "range",
  at: number,
): Part {
  const names: string[] = [];
  const isPair = peek(parser, 1)?.text === "," &&
    peek(parser, 3)?.text === ":=";
  if (isPair && kind !== "range") {
    parser.fail(at, `"${kind}" takes one variable`);
  }
  if (isPair || peek(parser, 1)?.text === ":=") {
    const count = isPair ? 4 : 2;
    for (let ahead = 0; ahead < count; ahead += 2) {
      names.push(peek(parser, ahead)?.text ?? "");
    }
    parser.next += count;
  }
  const { value, at: start } = parsePipeline(parser);
  close(parser);
  const { part: body, end } = parseParts(parser);
  const otherwise = end?.text === "else"
    ? parseElse(parser, kind, at)
    : () => {};
  if (end === undefined) parser.fail(at, `"${kind}" has no {{end}}`);
  if (end?.text === "end") close(parser);
  return (scope) => {
    const found = value(scope);
    const turns = kind !== "range"
      ? isTrue(found) ? [[found, found] as const] : []
      : listEntries(found) ??
        parser.fail(
          start,
          `"range" needs a list or a mapping: this is ${findKind(found)}`,
        );
    if (turns.length === 0) otherwise(withVariables(scope, names, [found]));
    for (const [key, item] of turns) {
      const values = names.length === 2 ? [key, item] : [item];
      const inner = withVariables(scope, names, values);
      body(kind === "if" ? inner : { ...inner, dot: item });
    }
  };
}

function withVariables(
  scope: Scope,
  names: readonly string[],
  values: readonly GoValue[],
): Scope {
  const added = names.map((name, index) =>
    [name, { value: values[index] ?? null }] as const
  );
  return { ...scope, variables: new Map([...scope.variables, ...added]) };
}

function parseElse(parser: Parser, kind: string, at: number): Part {
  for (const word of ["if", "with"] as const) {
    // `else if` ends with the `end` of the whole.
    if (takes(parser, "word", word)) return parseControl(parser, word, at);
  }
  close(parser);
  const { part, end } = parseParts(parser);
  if (end?.text !== "end") parser.fail(at, `"${kind}" has no {{end}}`);
  close(parser);
  return part;
}

function peek({ tokens, next }: Parser, ahead = 0): Token | undefined {
  return tokens[next + ahead];
}

function takes(parser: Parser, kind: Token["kind"], text?: string): boolean {
  const token = peek(parser);
  const isIt = token?.kind === kind && (text ?? token.text) === token.text;
  if (isIt) parser.next++;
  return isIt;
}

function close(parser: Parser): void {
  if (takes(parser, "close")) return;
  const { at = 0, text = "" } = peek(parser) ?? {};
  parser.fail(at, `Unexpected "${text}"`);
}

/** `a b | c d`: each result is the last argument of the next call. */
function parsePipeline(parser: Parser): Expression {
  let value = parseCommand(parser);
  while (takes(parser, "mark", "|")) value = parseCommand(parser, value);
  return value;
}

/** `piped`: the value before a |. */
function parseCommand(parser: Parser, piped?: Expression): Expression {
  const token = peek(parser);
  const isCall = token?.kind === "word";
  if (isCall) parser.next++;
  const operands: Expression[] = [];
  for (;;) {
    const { kind, text } = peek(parser) ?? {};
    if (kind === "close" || kind === "mark" && /^[|)]$/.test(text ?? "")) break;
    operands.push(parseOperand(parser));
  }
  if (piped !== undefined) operands.push(piped);
  if (isCall) return makeCall(parser, token, operands);
  const [value, second] = operands;
  const at = token?.at ?? 0;
  if (value === undefined) {
    return parser.fail(at, `Unexpected "${token?.text}"`);
  }
  if (second === undefined) return value;
  return parser.fail(at, "Only functions take arguments");
}

function parseOperand(parser: Parser): Expression {
  let value = parsePrimary(parser);
  for (;;) {
    const next = peek(parser);
    // A field after a space is the next argument.
    if (next?.kind !== "field" || next.spaced) return value;
    parser.next++;
    value = makeField(parser, value, next);
  }
}

function parsePrimary(parser: Parser): Expression {
  const { fail } = parser;
  const token = peek(parser);
  if (token === undefined) return fail(0, "An action is not closed");
  parser.next++;
  const { kind, text, at } = token;
  const dot: Expression = { at, value: (scope) => scope.dot };
  switch (kind) {
    case "string":
      return { at, value: () => text };
    case "number": {
      const number = Number(text.replaceAll("_", ""));
      const isFloat = /[.eE]/.test(text) && !/^[-+]?0x/i.test(text);
      const value = isFloat ? new GoFloat(number) : number;
      return { at, value: () => value };
    }
    case "field":
      return makeField(parser, dot, token);
    case "variable":
      return {
        at,
        value: ({ variables }) => {
          const known = variables.get(text);
          if (known !== undefined) return known.value;
          return fail(at, `There is no variable "${text}"`);
        },
      };
    case "word":
      return makeCall(parser, token, []);
    case "mark": {
      if (text === ".") return dot;
      if (text !== "(") break;
      const value = parsePipeline(parser);
      if (!takes(parser, "mark", ")")) fail(at, "A ( is not closed");
      return value;
    }
  }
  return fail(at, `Unexpected "${text}"`);
}

function makeField(
  { fail }: Parser,
  parent: Expression,
  { text, at }: Token,
): Expression {
  return {
    at,
    value: (scope) => {
      const map = parent.value(scope);
      if (!(map instanceof Map)) {
        const kind = map === null
          ? "an absent value"
          : `a value of kind ${findKind(map)}`;
        return fail(at, `There is no "${text}" in ${kind}`);
      }
      const value = map.get(text);
      if (value !== undefined) return value;
      return fail(at, `There is no key "${text}"`, suggest(text, map.keys()));
    },
  };
}

function suggest(name: string, known: Iterable<string>): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

function makeCall(
  { fail, functions }: Parser,
  { text: name, at }: Token,
  args: readonly Expression[],
): Expression {
  if (name === "and" || name === "or") {
    // Only as many arguments as needed are evaluated.
    const value = (scope: Scope) => {
      let last: GoValue = null;
      for (const { value } of args) {
        last = value(scope);
        if (isTrue(last) === (name === "or")) break;
      }
      return last;
    };
    return { at, value };
  }
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const { least, most, call } = known ??
    fail(
      at,
      `There is no function "${name}"`,
      suggest(name, [...Object.keys(functions), "and", "or"]),
    );
  if (args.length < least || args.length > most) {
    const wanted = least === most
      ? least
      : most === Infinity
      ? `at least ${least}`
      : `${least} to ${most}`;
    const takes = `takes ${wanted} arguments, not ${args.length}`;
    return fail(at, `Function "${name}" ${takes}`);
  }
  return {
    at,
    value: (scope) => {
      const values = args.map(({ value }) => value(scope));
      try {
        return call(values);
      } catch (error) {
        if (!(error instanceof FunctionProblem)) throw error;
        return fail(at, `Function "${name}": ${error.message}`);
      }
    },
  };
}
