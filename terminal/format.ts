/** Output formats and row queries. */

/** Formats that need no argument; `wide` is a table with all columns. */
export const formats = [
  "table",
  "wide",
  "json",
  "jsonl",
  "yaml",
  "name",
] as const;

/** A column of `-o custom-columns=`. */
export interface CustomColumn {
  readonly header: string;
  readonly path: string;
}

/** A selected format. */
export type Format =
  | {
    readonly kind: "table";
    /** True for all columns, even if they do not fit. */
    readonly wide?: true;
  }
  | {
    readonly kind: "json" | "jsonl" | "yaml";
  }
  | {
    /** Discriminator; prints only the names of the rows. */
    readonly kind: "name";
  }
  | {
    readonly kind: "jsonpath";
    /** Kubernetes JSONPath template. */
    readonly template: string;
  }
  | {
    readonly kind: "custom-columns";
    /** Columns in order, at least one. */
    readonly columns: readonly CustomColumn[];
  };

/** One condition of `--field-selector`. */
export interface FieldCondition {
  /** Header of a column in upper or lower case, or a path into the row. */
  readonly field: string;
  readonly value: string;
  /** False for `!=`. */
  readonly equal: boolean;
}

/** Requested rows and their order. */
export interface RowQuery {
  readonly sortBy?: string | undefined;
  /** Conditions that must all match; default none. */
  readonly where?: readonly FieldCondition[];
}
