import type { ConfigNode } from "../tree/node.ts";
import type { OldWordQuotes } from "../tree/scalar_style.ts";
import { writeDocuments } from "../tree/write.ts";
import { conform } from "./conform.ts";
import { type ConfigDocument, findFields, mainKind } from "./load.ts";

/**
 * Encodes documents: the main one first, the others in their order; keys in the order of the
 * description, empty values omitted, comments kept. Documents of an unknown kind are written unchanged.
 *
 * @param documents At least one.
 * @param quotes Quotes for texts that only YAML 1.1 reads as another type; nodes up to v1.13 write double quotes.
 */
export function encodeDocuments(
  documents: readonly ConfigDocument[],
  quotes?: OldWordQuotes,
): string {
  const main = documents.filter(({ kind }) => kind === mainKind);
  const others = documents.filter(({ kind }) => kind !== mainKind);
  return writeDocuments([...main, ...others].map(canonical), quotes);
}

/** Canonical form of a document. */
export function canonical({ root, schema }: ConfigDocument): ConfigNode {
  return schema === undefined ? root : conform(root, findFields(schema)).node;
}
