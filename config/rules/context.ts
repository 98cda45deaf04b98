/** What rules of a configuration are told besides the document they look at. */

import type { Cursor } from "../documents/cursor.ts";

/** Where a node runs; decides which parts of its configuration must be there. */
export type RuntimeMode = "metal" | "cloud" | "container" | "metal-agent";

/** One document of a file. */
export interface RuleDocument {
  /** Its kind; `v1alpha1` for the one that has none. */
  readonly kind: string;
  /** Its name; absent when it has none. */
  readonly name?: string;
  /** Its root; the shapes below are right. */
  readonly cursor: Cursor;
}

/** Surroundings of a document. */
export interface RuleContext {
  /** Where the node is going to run. */
  readonly mode: RuntimeMode;
  /** All documents of the file, the one being looked at among them. */
  readonly documents: readonly RuleDocument[];
}
