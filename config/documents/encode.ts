import type { ConfigNode } from "../tree/node.ts";
import type { OldWordQuotes } from "../tree/scalar_style.ts";
import { writeDocuments } from "../tree/write.ts";
import { conform } from "./conform.ts";
import { type ConfigDocument, findFields, mainKind } from "./load.ts";

/**
 * Writes documents: the main one first, the others in their order; keys in the
 * order of the description, empty ones omitted, comments kept. Documents of a
 * kind that is not known are written as they are.
 *
 * @param documents At least one.
 * @param quotes Quotes of texts that only YAML 1.1 reads as something else; nodes write double ones up to v1.13.
 */
export function encodeDocuments(
  documents: readonly ConfigDocument[],
  quotes?: OldWordQuotes,
): string {
  const main = documents.filter(({ kind }) => kind === mainKind);
  const others = documents.filter(({ kind }) => kind !== mainKind);
  return writeDocuments([...main, ...others].map(canonical), quotes);
}

/** The value of a document in the form it is written in. */
export function canonical({ root, schema }: ConfigDocument): ConfigNode {
  return schema === undefined ? root : conform(root, findFields(schema)).node;
}
