/** A condition taken apart where its truth may follow from a part of it. */

import { type ASTNode, serialize } from "@marcbachmann/cel-js";

/** A condition, as far as it is made of others. */
export type Logic =
  | {
    /** All parts have to hold, or one of them. */
    readonly op: "and" | "or";
    /** The parts. */
    readonly parts: readonly [Logic, Logic];
  }
  | {
    /** The part must not hold. */
    readonly op: "not";
    /** The part. */
    readonly part: Logic;
  }
  | {
    /** Which of two counts is a condition of its own. */
    readonly op: "choice";
    /** That condition. */
    readonly when: Logic;
    /** What counts then. */
    readonly yes: Logic;
    /** What counts otherwise. */
    readonly no: Logic;
  }
  | {
    /** It is not taken apart any further. */
    readonly op: "leaf";
    /** CEL with the same meaning as what is written. */
    readonly source: string;
  };

/** Takes a condition apart. */
export function logicIn(ast: ASTNode): Logic {
  switch (ast.op) {
    case "&&":
    case "||": {
      const [first, second] = ast.args;
      const op = ast.op === "&&" ? "and" : "or";
      return { op, parts: [logicIn(first), logicIn(second)] };
    }
    case "!_":
      return { op: "not", part: logicIn(ast.args) };
    case "?:": {
      const [when, yes, no] = ast.args.map(logicIn);
      if (!when || !yes || !no) throw new TypeError("A choice has three parts");
      return { op: "choice", when, yes, no };
    }
    default:
      return { op: "leaf", source: serialize(ast) };
  }
}
