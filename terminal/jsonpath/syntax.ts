/** What a template of the Kubernetes dialect of JSONPath consists of. */

/** One step from values to the values below them. */
export type PathStep =
  | {
    /** Tells steps apart. */
    readonly kind: "wildcard" | "recursive";
  }
  | {
    /** Tells steps apart. */
    readonly kind: "field";
    /** Key of a mapping. */
    readonly name: string;
    /** What a quoted key with dots means when there is no such key. */
    readonly otherwise?: readonly PathStep[];
  }
  | {
    /** Tells steps apart. */
    readonly kind: "index";
    /** Place in a list, from its end when negative. */
    readonly index: number;
  }
  | {
    /** Tells steps apart. */
    readonly kind: "slice";
    /** First place, from the end when negative. */
    readonly from: number | undefined;
    /** First place behind, from the end when negative. */
    readonly to: number | undefined;
    /** Distance between places, at least 1. */
    readonly by: number;
  }
  | {
    /** Tells steps apart. */
    readonly kind: "union";
    /** Steps whose values are put behind each other. */
    readonly members: readonly PathStep[];
  }
  | {
    /** Tells steps apart. */
    readonly kind: "filter";
    /** What an item has to meet. */
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
  /** Value as it was typed. */
  readonly value: string | number | boolean | null;
};

/** How two values are compared. */
export type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">";

/** Condition of a filter. */
export type Test =
  | {
    /** Tells conditions apart. */
    readonly kind: "exists";
    /** Has to lead somewhere. */
    readonly path: JsonPath;
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "compare";
    /** How the sides are compared. */
    readonly operator: Operator;
    /** Left side. */
    readonly left: Operand;
    /** Right side. */
    readonly right: Operand;
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "all" | "any";
    /** Conditions combined. */
    readonly tests: readonly Test[];
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "not";
    /** Condition that must not hold. */
    readonly test: Test;
  };

/** One part of a template. */
export type Piece = JsonPath | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "text";
  /** Printed as it is. */
  readonly text: string;
} | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "range";
  /** Values to repeat for. */
  readonly path: JsonPath;
  /** What is printed for each. */
  readonly parts: readonly Piece[];
};
