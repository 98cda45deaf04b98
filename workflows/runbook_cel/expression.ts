/**
 * CEL, the language of conditions: types are checked before a run, and
 * expressions have no side effects and a cost limit.
 */

import {
  type ASTNode,
  type Environment,
  EvaluationError,
  ParseError,
  type ParseResult,
  type TypeError,
} from "@marcbachmann/cel-js";
import { nearest } from "../../lib/text/nearest.ts";
import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import type { ValueField, ValueFields } from "./field.ts";
import { fromCel, toCel } from "./cel_values.ts";
import { chargeCopy, CostProblem, countCost, spending } from "./cost.ts";
import {
  type Declarations,
  declare,
  type RunQueries,
  withRunQueries,
} from "./declare.ts";
import { holdsSecret, resolve } from "./resolve.ts";
import {
  askedFor,
  type ExpressionProblem,
  type FreeNames,
  type Logic,
  logicIn,
  namesIn,
  type Reference,
} from "./syntax.ts";
import { findField, typeMismatch } from "./types.ts";

export type { RunQueries } from "./declare.ts";
export type { ExpressionProblem } from "./syntax.ts";
export type { Logic } from "./syntax.ts";

type CheckedExpression = {
  readonly field: ValueField;
  /** Path of the optional input that is the whole value; absent when the value is always present. */
  readonly absent?: string;
} | {
  readonly fault: ExpressionProblem;
};

/** Values by their names; JSON, interpreted by the declared types. */
export type ExpressionValues = Readonly<Record<string, Json | undefined>>;

interface Compiled {
  readonly run: ParseResult;
  readonly ast: ASTNode;
  readonly names: FreeNames;
  readonly checked: CheckedExpression;
}

type CompileResult = Compiled | { readonly fault: ExpressionProblem };

interface Compiler extends Declarations {
  readonly results: Map<string, CompileResult>;
}

const nothing: ValueFields = {};

const compilers = new WeakMap<ValueFields, Compiler>();

/**
 * Checks an expression without evaluating it.
 *
 * @param source CEL, without `${{ }}`.
 * @param declarations Names in scope; pass the same object each time, since results are cached by it.
 * @param expected Required type of the value; any when absent.
 */
export function checkExpression(
  source: string,
  declarations: ValueFields,
  expected?: ValueField,
): CheckedExpression {
  const compiled = compile(source, declarations);
  if ("fault" in compiled) return compiled;
  const { checked } = compiled;
  if ("fault" in checked || expected === undefined) return checked;
  const message = typeMismatch(
    literal(compiled.ast, expected) ?? checked.field,
    expected,
  );
  return message === undefined ? checked : { fault: { offset: 0, ...message } };
}

/**
 * Evaluates an expression.
 *
 * @param source CEL, without `${{ }}`.
 * @param scope Values of the names; missing ones are absent.
 * @returns `undefined` when the whole expression is a name whose value is absent.
 * @throws {ConfigError} If the expression is invalid, or has no value in this scope.
 */
export function evaluate(
  source: string,
  declarations: ValueFields,
  scope: ExpressionValues,
  queries: RunQueries,
): Json | undefined {
  const compiled = compile(source, declarations);
  if ("fault" in compiled) throw evaluationError(source, compiled.fault);
  const { ast, names, checked, run } = compiled;
  if ("fault" in checked) throw evaluationError(source, checked.fault);
  const [first] = names.references;
  if (first && isReference(ast) && isAbsent(first, scope)) return undefined;
  const { makers } = makeCompiler(declarations);
  const used = new Set(names.references.map(({ path }) => path[0]));
  try {
    const context = Object.fromEntries(
      Object.entries(declarations).filter(([name]) => used.has(name)).map((
        [name, field],
      ) => [name, toCel(scope[name], field, makers)]),
    );
    return spending(() => {
      const value = withRunQueries(queries, () => run(context));
      // A reference returns the value without a copy.
      if (!isReference(ast)) chargeCopy(value);
      return fromCel(value);
    }, queries.budget);
  } catch (error) {
    const summary = error instanceof EvaluationError
      ? error.summary
      : error instanceof Error
      ? error.message
      : String(error);
    throw new ConfigError(`Cannot evaluate "${source}": ${summary}`, {
      cause: error,
      ...error instanceof CostProblem && { hint: costHint },
    });
  }
}

/** Finds the names and calls in an expression. Returns nothing for an invalid one. */
export function references(source: string): FreeNames {
  const compiled = compile(source, nothing);
  return "fault" in compiled ? { references: [], calls: [] } : compiled.names;
}

/**
 * Splits a condition into the parts that may decide it.
 *
 * @returns A single part for an invalid expression.
 */
export function parseLogic(source: string): Logic {
  const compiled = compile(source, nothing);
  return "fault" in compiled ? { op: "leaf", source } : logicIn(compiled.ast);
}

/**
 * Paths of optional values that are present when a condition holds, since it
 * checks them with `has`: `["inputs", "file"]`.
 */
export function assuredPaths(source: string): readonly Reference["path"][] {
  const compiled = compile(source, nothing);
  return "fault" in compiled ? [] : askedFor(compiled.ast);
}

/** Type of literal strings where an enum is expected: an enum of them. */
function literal(ast: ASTNode, { type }: ValueField): ValueField | undefined {
  const values = type === "enum" ? wordsIn(ast) : undefined;
  return values && { type: "enum", summary: "Words", values };
}

function wordsIn(ast: ASTNode): readonly string[] | undefined {
  if (ast.op === "value" && typeof ast.args === "string") return [ast.args];
  if (ast.op !== "?:") return undefined;
  const [, yes, no] = ast.args;
  const words = [yes, no].flatMap((one) => wordsIn(one) ?? []);
  return words.length === 0 ? undefined : words;
}

function makeCompiler(declarations: ValueFields): Compiler {
  const known = compilers.get(declarations);
  if (known !== undefined) return known;
  const made = { ...declare(declarations), results: new Map() };
  compilers.set(declarations, made);
  return made;
}

function compile(source: string, declarations: ValueFields): CompileResult {
  const compiler = makeCompiler(declarations);
  const known = compiler.results.get(source);
  if (known !== undefined) return known;
  const made = compileAnew(source, declarations, compiler);
  compiler.results.set(source, made);
  return made;
}

function compileAnew(
  source: string,
  declarations: ValueFields,
  compiler: Compiler,
): CompileResult {
  if (source.length > longest) return { fault: tooLong };
  try {
    const run = compiler.environment.parse(source);
    const names = namesIn(run.ast);
    const checked = checkNames(run.ast, names, declarations) ??
      checkTypes(run, names, declarations, compiler);
    if (!("fault" in checked)) countCost(run.ast);
    return { run, ast: run.ast, names, checked };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { summary, range } = error;
    const offset = range?.start ?? 0;
    return { fault: { offset, message: summary, ...limitHint(error.code) } };
  }
}

/** Maximum length of an expression in characters; deeper nesting than this allows would overflow the parser. */
const longest = 4_096;

const tooLong: ExpressionProblem = {
  offset: 0,
  message: `It is longer than ${longest} characters`,
  hint: "Split it with vars or a decide step",
};

const costHint =
  "Iterate over fewer elements, or split it with vars or a decide step";

function limitHint(code: string): { hint?: string } {
  return code === "limit_exceeded"
    ? { hint: "Split it with vars or a decide step" }
    : {};
}

/** Checks that the library lacks, or reports less clearly. */
function checkNames(
  ast: ASTNode,
  { references, calls }: FreeNames,
  declarations: ValueFields,
): { readonly fault: ExpressionProblem } | undefined {
  const matches = calls.find(({ name }) => name === "matches");
  if (matches !== undefined) return { fault: refusedMatches(matches.offset) };
  const found = references.map((one) => ({
    ...one,
    ...resolve(one, declarations),
  }));
  const asked = new Set(
    found.map((one) => one.use === "asked" && "field" in one && one.absent),
  );
  for (const one of found) {
    if ("fault" in one) return { fault: one.fault };
    const { use, field, absent, offsets: [offset = 0] } = one;
    if (use === "asked") continue;
    const name = pathText(one.path);
    if (use === "part" && holdsSecret(field)) {
      const message = field.type === "secret"
        ? `"${name}" is a secret and can only be passed on as a whole`
        : `"${name}" contains a secret and can only be passed on as a whole`;
      return { fault: { offset, message } };
    }
    if (absent === undefined || asked.has(absent) || isReference(ast)) continue;
    return { fault: absence(absent, offset) };
  }
  return undefined;
}

function checkTypes(
  run: ParseResult,
  { references }: FreeNames,
  declarations: ValueFields,
  { environment, objects }: Compiler,
): CheckedExpression {
  const { type = "dyn", error } = run.check();
  if (error !== undefined) {
    return { fault: toProblem(error, environment) };
  }
  const wholes = references.filter(({ use }) => use === "whole").map((one) =>
    resolve(one, declarations)
  );
  const [first] = wholes;
  // The declared type is more precise than that of the library.
  if (first && "field" in first && isReference(run.ast)) return first;
  return { field: findField(type, objects) };
}

function toProblem(
  error: ParseError | TypeError,
  environment: Environment,
): ExpressionProblem {
  const { summary, range, code } = error;
  const offset = range?.start ?? 0;
  const [, name] = /^found no matching overload for '(?:.*\.)?(\w+)\(/.exec(
    code === "no_matching_overload" ? summary : "",
  ) ?? [];
  const known = environment.getDefinitions().functions.map(({ name }) => name);
  if (name !== undefined && !known.includes(name)) {
    const near = nearest(name, known);
    return {
      offset,
      message: `Unknown function "${name}"`,
      ...near !== undefined && { hint: `Did you mean "${near}"?` },
    };
  }
  // Some type errors of the library have no summary.
  return { offset, message: capitalize(summary ?? error.message) };
}

function refusedMatches(offset: number): ExpressionProblem {
  return {
    offset,
    message: `"matches" is not supported: a pattern could take forever`,
    hint: "Use glob(text, pattern), where * matches any text",
  };
}

function absence(path: string, offset: number): ExpressionProblem {
  return {
    offset,
    message: `"${path}" may be absent`,
    hint: `Check has(${path}) first, or give the input a default`,
  };
}

function isReference(ast: ASTNode): boolean {
  if (ast.op === "id") return true;
  return (ast.op === "." || ast.op === "[]") && isReference(ast.args[0]);
}

/** True when only the last part of a path is absent. */
function isAbsent({ path }: Reference, scope: ExpressionValues): boolean {
  let value: Json | undefined = scope[path[0] ?? ""];
  for (const [index, member] of path.slice(1).entries()) {
    if (typeof value !== "object" || value === null || member === null) {
      return false;
    }
    if (Array.isArray(value)) return false;
    const owner = value as Readonly<Record<string, Json>>;
    value = Object.hasOwn(owner, member) ? owner[member] : undefined;
    if (value === undefined) return index === path.length - 2;
  }
  return value === undefined || value === null;
}

function evaluationError(
  source: string,
  { message, offset, hint }: ExpressionProblem,
): ConfigError {
  return new ConfigError(
    `Cannot evaluate "${source}": ${message}, at character ${offset + 1}`,
    hint === undefined ? {} : { hint },
  );
}

function pathText(path: Reference["path"]): string {
  return path.map((part) => part ?? "[…]").join(".");
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
