/** Configurations of tests. */

import {
  type ConfigDocument,
  loadDocuments,
} from "../../../config/documents/load.ts";

/** Documents of a text; what is wrong with them does not matter. */
export function parseDocuments(text: string): readonly ConfigDocument[] {
  return loadDocuments(text, "c.yaml").documents;
}
