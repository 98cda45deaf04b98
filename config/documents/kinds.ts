/** Every kind of document. */

import { hostname } from "./hostname.ts";
import type { DocumentKind } from "./schema.ts";

/** Kinds by their names. */
export const documentKinds: ReadonlyMap<string, DocumentKind> = new Map(
  [hostname].map((kind) => [kind.kind, kind]),
);
