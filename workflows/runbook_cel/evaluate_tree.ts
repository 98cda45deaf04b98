/** Expressions in the texts of a YAML tree. */

import {
  type ConfigNode,
  type Place,
  type Plain,
  type ScalarNode,
  toTree,
  withValues,
} from "../../config/tree/node.ts";
import { ConfigError } from "../../errors.ts";
import type { RunQueries } from "./declare.ts";
import type { ExpressionValues } from "./expression.ts";
import type { ValueFields } from "./field.ts";
import { anyField } from "./resolve.ts";
import { checkTemplate, renderTemplate } from "./template.ts";
import { opening } from "./template_text.ts";

/** A tree with the values of its expressions. */
interface EvaluatedTree {
  /** Values without a result are left out; `undefined` if the whole has none. */
  readonly root: ConfigNode | undefined;
  readonly problems: readonly TreeProblem[];
}

interface TreeProblem {
  /** Position of the text; absent in generated trees. */
  readonly at: Place | undefined;
  readonly message: string;
  readonly hint?: string;
}

/** Evaluates the expressions of a tree. */
export function evaluateTree(
  root: ConfigNode,
  declarations: ValueFields,
  values: ExpressionValues,
  queries: RunQueries,
): EvaluatedTree {
  const problems: TreeProblem[] = [];
  const evaluate = ({ text, at }: ScalarNode): ConfigNode | undefined => {
    const checked = checkTemplate(text, anyField, declarations);
    problems.push(...checked.problems.map((one) => ({ ...one, at })));
    if (checked.problems.length > 0) return undefined;
    try {
      const value = renderTemplate(text, declarations, values, queries);
      if (value === undefined) return undefined;
      return { ...toTree(value as Plain), ...at && { at } };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push({ at, message: error.message });
      return undefined;
    }
  };
  const walk = (node: ConfigNode): ConfigNode | undefined => {
    if (node.kind !== "scalar") return withValues(node, walk);
    return node.text.includes(opening) ? evaluate(node) : node;
  };
  return { root: walk(root), problems };
}
