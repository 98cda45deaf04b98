/** Parser of Go templates. */

import { type Lexer, type Token, tokenize } from "./lex.ts";

/** An expression with its offset in the text. */
export type Expression =
  & { readonly at: number }
  & (
    | {
      readonly kind: "literal";
      readonly value: null | boolean | number | string;
    }
    | { readonly kind: "float"; readonly value: number }
    | { readonly kind: "dot" }
    | { readonly kind: "variable"; readonly name: string }
    | {
      readonly kind: "field";
      readonly of: Expression;
      readonly name: string;
    }
    | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Expression[];
    }
  );

/** A part of a template. */
export type TemplateNode =
  & { readonly at: number }
  & (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "print"; readonly value: Expression }
    | {
      readonly kind: "assign";
      readonly name: string;
      readonly value: Expression;
      /** True for `:=`. */
      readonly declares: boolean;
    }
    | {
      readonly kind: "if" | "with";
      readonly value: Expression;
      /** Variable that gets the value. */
      readonly name: string | undefined;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
    | {
      readonly kind: "range";
      readonly value: Expression;
      /** Variables for key and value. */
      readonly names: readonly string[];
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
    | { readonly kind: "break" | "continue" }
    | {
      readonly kind: "template";
      readonly name: string;
      readonly value: Expression | undefined;
    }
  );

/** A parsed template. */
export interface ParsedTemplate {
  readonly nodes: readonly TemplateNode[];
  /** Templates inside by name, of `define` and `block`. */
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** Throws the error of a place. */
export type Fail = (at: number, fault: string, hint?: string) => never;

interface Parser {
  readonly lexer: Lexer;
  readonly fail: Fail;
  readonly defined: Map<string, readonly TemplateNode[]>;
}

/** Parses a template. `fail`: throws the error for a place. */
export function parseGoTemplate(text: string, fail: Fail): ParsedTemplate {
  const parser = { lexer: tokenize(text, fail), fail, defined: new Map() };
  const { nodes, end } = parseNodes(parser);
  if (end !== undefined) fail(end.at, `Unexpected {{${end.text}}}`);
  return { nodes, defined: parser.defined };
}

interface NodeList {
  readonly nodes: readonly TemplateNode[];
  /** `end` or `else`, which has been read; `undefined` at the end of the text. */
  readonly end: Token | undefined;
}

function parseNodes(parser: Parser): NodeList {
  const { lexer } = parser;
  const nodes: TemplateNode[] = [];
  for (;;) {
    const token = lexer.next();
    if (token === undefined) return { nodes, end: undefined };
    const { kind, text, at } = token;
    if (kind === "text") {
      nodes.push({ kind, text, at });
      continue;
    }
    const word = lexer.peek();
    if (word?.kind === "close") {
      lexer.next();
      continue;
    }
    if (word?.kind === "word" && /^(end|else)$/.test(word.text)) {
      lexer.next();
      return { nodes, end: word };
    }
    nodes.push(...parseAction(parser, at));
  }
}

function parseAction(parser: Parser, at: number): readonly TemplateNode[] {
  const { lexer, fail, defined } = parser;
  const word = lexer.peek();
  const name = word?.kind === "word" ? word.text : "";
  switch (name) {
    case "if":
    case "with":
    case "range":
      lexer.next();
      return [parseControl(parser, name, at)];
    case "break":
    case "continue":
      lexer.next();
      close(parser);
      return [{ kind: name, at }];
    case "define": {
      lexer.next();
      const title = parseName(parser);
      close(parser);
      defined.set(title, parseBody(parser, at));
      return [];
    }
    case "template":
    case "block": {
      lexer.next();
      const title = parseName(parser);
      const isEnd = lexer.peek()?.kind === "close";
      const value = isEnd ? undefined : parsePipeline(parser);
      close(parser);
      if (name === "block") {
        const body = parseBody(parser, at);
        if (!defined.has(title)) defined.set(title, body);
      }
      return [{ kind: "template", name: title, value, at }];
    }
  }
  if (word?.kind === "variable") {
    const mark = lexer.peek(1);
    if (mark?.text === ":=" || mark?.text === "=") {
      lexer.next();
      lexer.next();
      const value = parsePipeline(parser);
      close(parser);
      const declares = mark.text === ":=";
      return [{ kind: "assign", name: word.text, value, declares, at }];
    }
  }
  if (word === undefined) fail(at, "An action is not closed", "End it with }}");
  const value = parsePipeline(parser);
  close(parser);
  return [{ kind: "print", value, at }];
}

function parseControl(
  parser: Parser,
  kind: "if" | "with" | "range",
  at: number,
): TemplateNode {
  const { lexer, fail } = parser;
  const names: string[] = [];
  const [first, second, third, fourth] = [0, 1, 2, 3].map((ahead) =>
    lexer.peek(ahead)
  );
  const isPair = second?.text === "," && third?.kind === "variable" &&
    fourth?.text === ":=";
  if (first?.kind === "variable" && (second?.text === ":=" || isPair)) {
    names.push(first.text);
    if (isPair) names.push(third.text);
    for (let count = isPair ? 4 : 2; count > 0; count--) lexer.next();
    if (isPair && kind !== "range") fail(at, `"${kind}" takes one variable`);
  }
  const value = parsePipeline(parser);
  close(parser);
  const { nodes: body, end } = parseNodes(parser);
  if (end === undefined) fail(at, `"${kind}" has no {{end}}`);
  const otherwise = end?.text === "else" ? parseElse(parser, kind, at) : [];
  if (end?.text === "end") close(parser);
  return kind === "range"
    ? { kind, value, names, body, otherwise, at }
    : { kind, value, name: names[0], body, otherwise, at };
}

function parseElse(
  parser: Parser,
  kind: string,
  at: number,
): readonly TemplateNode[] {
  const { lexer } = parser;
  const word = lexer.peek();
  if (word?.kind === "word" && (word.text === "if" || word.text === "with")) {
    lexer.next();
    // `else if` ends with the `end` of the whole.
    return [parseControl(parser, word.text, word.at)];
  }
  close(parser);
  return parseBody(parser, at, kind);
}

function parseBody(
  parser: Parser,
  at: number,
  kind = "define",
): readonly TemplateNode[] {
  const { nodes, end } = parseNodes(parser);
  if (end?.text !== "end") parser.fail(at, `"${kind}" has no {{end}}`);
  close(parser);
  return nodes;
}

function parseName({ lexer, fail }: Parser): string {
  const token = lexer.next();
  if (token?.kind === "string") return token.text;
  return fail(token?.at ?? lexer.end, "A template needs a name in quotes");
}

function close({ lexer, fail }: Parser): void {
  const token = lexer.next();
  if (token?.kind === "close") return;
  fail(
    token?.at ?? lexer.end,
    token === undefined
      ? "An action is not closed"
      : `Unexpected "${token.text}"`,
  );
}

/** `a b | c d`: each result is the last argument of the next call. */
function parsePipeline(parser: Parser): Expression {
  const { lexer, fail } = parser;
  let value = parseCommand(parser);
  while (lexer.peek()?.text === "|" && lexer.peek()?.kind === "mark") {
    const { at = 0 } = lexer.next() ?? {};
    const next = parseCommand(parser);
    if (next.kind !== "call") {
      return fail(at, "Only a function can follow a |");
    }
    value = { ...next, args: [...next.args, value] };
  }
  return value;
}

function parseCommand(parser: Parser): Expression {
  const { lexer, fail } = parser;
  const first = parseOperand(parser);
  const args: Expression[] = [];
  for (;;) {
    const token = lexer.peek();
    const isEnd = token === undefined || token.kind === "close" ||
      token.kind === "mark" && /^[|)]$/.test(token.text);
    if (isEnd) break;
    args.push(parseOperand(parser));
  }
  if (args.length === 0) return first;
  if (first.kind === "call" && first.args.length === 0) {
    return { ...first, args };
  }
  return fail(first.at, "Only functions take arguments");
}

function parseOperand(parser: Parser): Expression {
  const { lexer, fail } = parser;
  const token = lexer.next();
  if (token === undefined) return fail(lexer.end, "An action is not closed");
  let value = parsePrimary(parser, token);
  for (;;) {
    const next = lexer.peek();
    // A field after a space is the next argument.
    if (next?.kind !== "field" || next.spaced) return value;
    lexer.next();
    value = { kind: "field", of: value, name: next.text, at: next.at };
  }
}

function parsePrimary(parser: Parser, token: Token): Expression {
  const { lexer, fail } = parser;
  const { kind, text, at } = token;
  switch (kind) {
    case "string":
      return { kind: "literal", value: text, at };
    case "number":
      return /[.eEpP]/.test(text) && !/^0x/i.test(text)
        ? { kind: "float", value: Number(text.replaceAll("_", "")), at }
        : { kind: "literal", value: Number(text.replaceAll("_", "")), at };
    case "field":
      return { kind: "field", of: { kind: "dot", at }, name: text, at };
    case "dot":
      return { kind: "dot", at };
    case "variable":
      return { kind: "variable", name: text, at };
    case "word": {
      const words = new Map([["true", true], ["false", false], ["nil", null]]);
      const value = words.get(text);
      return value === undefined
        ? { kind: "call", name: text, args: [], at }
        : { kind: "literal", value, at };
    }
    case "mark":
      if (text === "(") {
        const value = parsePipeline(parser);
        const end = lexer.next();
        if (end?.text !== ")") fail(at, "A ( is not closed");
        // Its arguments are complete.
        return value.kind === "call" && value.args.length === 0
          ? { ...value, args: [] }
          : value;
      }
  }
  return fail(at, `Unexpected "${text}"`);
}
