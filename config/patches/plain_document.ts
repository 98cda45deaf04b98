/** JSON patches on YAML that is no machine configuration. */

import { ConfigError } from "../../errors.ts";
import { readDocuments } from "../tree/read.ts";
import { sameValue } from "../tree/resolve.ts";
import { writeDocuments } from "../tree/write.ts";
import { applyOperation, type Operation } from "./json_patch.ts";

/**
 * Applies operations to a document.
 *
 * @param text YAML, one document.
 * @returns YAML; the same text when nothing changes.
 * @throws {ConfigError} If it is no such YAML, or an operation finds no place.
 */
export function applyOperations(
  text: string,
  name: string,
  operations: readonly Operation[],
): string {
  const { documents: [first, ...others] } = readDocuments(text, name);
  if (first === undefined || others.length > 0) {
    throw new ConfigError(`Cannot patch ${name}: it is not one document`);
  }
  const made = operations.reduce(applyOperation, first.root);
  return sameValue(first.root, made) ? text : writeDocuments([made]);
}
