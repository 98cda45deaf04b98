/** Every kind of document. */

import { hostname } from "./hostname.ts";
import type { DocumentKind } from "./schema.ts";
import { v1alpha1 } from "./v1alpha1/top.ts";

/** Kinds by their names. */
export const documentKinds: ReadonlyMap<string, DocumentKind> = new Map(
  [v1alpha1, hostname].map((kind) => [kind.kind, kind]),
);
