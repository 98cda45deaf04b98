/** Context of configuration rules besides the checked document. */

import type { Cursor } from "../documents/cursor.ts";
import type { DocumentKind, OsVersion } from "../documents/schema.ts";

/** Platform of a node; determines the required parts of its configuration. */
export type RuntimeMode = "metal" | "cloud" | "container" | "metal-agent";

/** One document of a file. */
export interface RuleDocument {
  /** Kind; `v1alpha1` if it has none. */
  readonly kind: string;
  /** Name, if any. */
  readonly name?: string;
  /** Description of its kind; absent for an unknown kind. */
  readonly schema?: Pick<DocumentKind, "controlPlaneOnly">;
  /** Its root; the shapes below are valid. */
  readonly cursor: Cursor;
}

/** Context of a checked document. */
export interface RuleContext {
  /** Platform of the node. */
  readonly mode: RuntimeMode;
  /** All documents of the file, including the checked one. */
  readonly documents: readonly RuleDocument[];
  /** Target version: the requested one, or the first that knows all its kinds, at least 1.12. */
  readonly version: OsVersion;
}
