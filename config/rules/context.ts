/** What rules of a configuration are given besides the document they look at. */

import type { Cursor } from "../documents/cursor.ts";
import type { DocumentKind, OsVersion } from "../documents/schema.ts";

/** Where a node runs; decides which parts of its configuration must be there. */
export type RuntimeMode = "metal" | "cloud" | "container" | "metal-agent";

/** One document of a file. */
export interface RuleDocument {
  /** Its kind; `v1alpha1` for the one that has none. */
  readonly kind: string;
  /** Its name; absent when it has none. */
  readonly name?: string;
  /** Description of its kind; absent when it is not known. */
  readonly schema?: Pick<DocumentKind, "controlPlaneOnly">;
  /** Its root; the shapes below are right. */
  readonly cursor: Cursor;
}

/** Surroundings of a document. */
export interface RuleContext {
  /** Where the node is going to run. */
  readonly mode: RuntimeMode;
  /** All documents of the file, the one being looked at among them. */
  readonly documents: readonly RuleDocument[];
  /** Version it is for: the one asked for, or the first that knows all its kinds, 1.12 at least. */
  readonly version: OsVersion;
}
