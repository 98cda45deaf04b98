/** Syntax tree of Kubernetes JSONPath templates. */

/** One step from values to their children. */
export type PathStep =
  | {
    readonly kind: "wildcard" | "recursive";
  }
  | {
    readonly kind: "field";
    readonly name: string;
    /** Alternative for a quoted key with dots that does not exist. */
    readonly otherwise?: readonly PathStep[];
  }
  | {
    readonly kind: "index";
    /** Index in a list, from its end when negative. */
    readonly index: number;
  }
  | {
    readonly kind: "slice";
    /** First index, from the end when negative. */
    readonly from: number | undefined;
    /** End index, exclusive, from the end when negative. */
    readonly to: number | undefined;
    /** Step, at least 1. */
    readonly by: number;
  }
  | {
    readonly kind: "union";
    /** Steps whose values are concatenated. */
    readonly members: readonly PathStep[];
  }
  | {
    readonly kind: "filter";
    readonly test: Test;
  };

/** A path to values. */
export interface JsonPath {
  readonly kind: "path";
  /** True for paths from the document, false for paths from the current value. */
  readonly root: boolean;
  /** Steps in order; empty for the start itself. */
  readonly steps: readonly PathStep[];
}

/** One side of a comparison. */
export type Operand = JsonPath | {
  readonly kind: "constant";
  readonly value: string | number | boolean | null;
};

/** Comparison operators. */
export type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">";

/** Condition of a filter. */
export type Test =
  | {
    readonly kind: "exists";
    readonly path: JsonPath;
  }
  | {
    readonly kind: "compare";
    readonly operator: Operator;
    readonly left: Operand;
    readonly right: Operand;
  }
  | {
    readonly kind: "all" | "any";
    readonly tests: readonly Test[];
  }
  | {
    readonly kind: "not";
    /** Condition to negate. */
    readonly test: Test;
  };

/** One part of a template. */
export type Piece = JsonPath | {
  readonly kind: "text";
  readonly text: string;
} | {
  readonly kind: "range";
  readonly path: JsonPath;
  readonly parts: readonly Piece[];
};
