/** Rows as YAML documents. */

import { stringify } from "yaml";

/**
 * Writes one row as a YAML document.
 *
 * @param row Plain data.
 * @returns The document with its line end, without a separator.
 */
export function yamlDocument(row: unknown): string {
  return stringify(row, {
    indent: 4,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
