/** Checking the expressions in configuration documents as a node would, without a node. */

import { environments, type ExpressionEnvironment } from "./environments.ts";
import { wrongResult } from "./type_errors.ts";
import { inferType } from "./infer.ts";
import { ExpressionError } from "./syntax.ts";
import { parseExpression } from "./parse.ts";

export type { ExpressionEnvironment } from "./environments.ts";

interface ExpressionFault {
  /** Upper case first, no period; quotes what is wrong. */
  readonly message: string;
  /** Where it is, in UTF-16 units from the start of the expression. */
  readonly offset: number;
  /** What would be right, one sentence without a period. */
  readonly hint?: string;
}

/**
 * Checks an expression: what it speaks of, its types, and what it yields.
 *
 * What is accepted and what is not is what a node says (cel-go 0.29 with the
 * environments of release 1.12). Types of the node's own records and their
 * enumerations, written by their full names, are taken for granted.
 *
 * @returns The first fault, or `undefined` if a node takes the expression.
 */
export function checkExpression(
  text: string,
  environment: ExpressionEnvironment,
): ExpressionFault | undefined {
  const known = environments[environment];
  try {
    const node = parseExpression(text, known);
    const type = inferType(node, known);
    if (type.name === known.result.name) return undefined;
    throw wrongResult(node, type, known);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { message, offset, hint } = error;
    return { message, offset, ...(hint === undefined ? {} : { hint }) };
  }
}
