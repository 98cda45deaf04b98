/** The formats rows are written in. */

/** Formats that need no argument. */
export const formats = ["table", "json", "jsonl", "yaml"] as const;

/** A chosen format. */
export type Format =
  | {
    /** Tells formats apart. */
    readonly kind: (typeof formats)[number];
  }
  | {
    /** Tells formats apart. */
    readonly kind: "jsonpath";
    /** Kubernetes JSONPath template. */
    readonly template: string;
  };
