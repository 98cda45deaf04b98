/** Checks CEL expressions in configuration documents as a node does, without a node. */

import { environments, type ExpressionEnvironment } from "./environments.ts";
import { wrongResult } from "./type_errors.ts";
import { inferType } from "./infer.ts";
import { ExpressionError } from "./syntax.ts";
import { parseExpression } from "./parse.ts";

export type { ExpressionEnvironment } from "./environments.ts";

interface ExpressionFault {
  /** Upper case first, no period; quotes the error. */
  readonly message: string;
  /** Position in UTF-16 units from the start of the expression. */
  readonly offset: number;
  /** Suggested fix, one sentence without a period. */
  readonly hint?: string;
}

/**
 * Checks an expression: its names, types and result.
 *
 * Accepts the same expressions as a node (cel-go 0.29 with the environments of release 1.12).
 * Full names of the node's own record types and enumerations are accepted unchecked.
 *
 * @returns The first error, or `undefined` if the expression is valid.
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
