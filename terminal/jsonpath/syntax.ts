/** What a template of the Kubernetes dialect of JSONPath consists of. */

/** One step from values to the values below them. */
export type PathStep =
  | {
    readonly kind: "wildcard" | "recursive";
  }
  | {
    readonly kind: "field";
    readonly name: string;
    /** What a quoted key with dots means when there is no such key. */
    readonly otherwise?: readonly PathStep[];
  }
  | {
    readonly kind: "index";
    /** Place in a list, from its end when negative. */
    readonly index: number;
  }
  | {
    readonly kind: "slice";
    /** First place, from the end when negative. */
    readonly from: number | undefined;
    /** First place behind, from the end when negative. */
    readonly to: number | undefined;
    /** Distance between places, at least 1. */
    readonly by: number;
  }
  | {
    readonly kind: "union";
    /** Steps whose values are put behind each other. */
    readonly members: readonly PathStep[];
  }
  | {
    readonly kind: "filter";
    readonly test: Test;
  };

/** A path to values. */
export interface JsonPath {
  /** Tells paths from texts and constants. */
  readonly kind: "path";
  /** True when it starts at the whole document, false at the present value. */
  readonly root: boolean;
  /** Steps in order; none for the start itself. */
  readonly steps: readonly PathStep[];
}

/** One side of a comparison. */
export type Operand = JsonPath | {
  /** Tells paths from texts and constants. */
  readonly kind: "constant";
  readonly value: string | number | boolean | null;
};

/** How two values are compared. */
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
    /** Condition that must not hold. */
    readonly test: Test;
  };

/** One part of a template. */
export type Piece = JsonPath | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "text";
  readonly text: string;
} | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "range";
  readonly path: JsonPath;
  readonly parts: readonly Piece[];
};
