/** Documents with comments, for tests. */

import assert from "node:assert/strict";
import { annotate } from "../../../config/documents/comments.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import {
  type ConfigDocument,
  identify,
  loadDocuments,
} from "../../../config/documents/load.ts";
import type { ConfigNode } from "../../../config/tree/node.ts";

/** All comments. */
export const both = { docs: true, examples: true };

/** The document of a root that is one. */
export function toDocument(root: ConfigNode): ConfigDocument {
  const document = identify(root, 1);
  assert.ok(!("message" in document));
  return document;
}

/** A text with comments. */
export function annotateText(text: string, options = both): string {
  const { documents } = loadDocuments(text, "f");
  return encodeDocuments(documents.map((one) => annotate(one, options)));
}

export type Role = "controlplane" | "worker";

/** Output of `gen config`, in which control planes have two empty lists. */
export function generate(
  role: Role,
  version = "v1.12",
): readonly ConfigDocument[] {
  const file = `../generate/expected/${version}-${role}.txt`;
  const text = Deno.readTextFileSync(new URL(file, import.meta.url));
  return loadDocuments(
    role === "worker" ? text : text.replace(/(?=---\n|$)/, lists),
    "f",
  ).documents;
}

const lists = "    extraManifests: []\n    inlineManifests: []\n";

/** The text of what `gen config` makes. */
export function comment(role: Role, options = both): string {
  return encodeDocuments(
    generate(role).map((one) => annotate(one, options)),
  );
}

/** A value without comments and places. */
export function bare(node: ConfigNode | undefined): unknown {
  if (node?.kind === "map") {
    return node.entries.map(({ key, value }) => [key, bare(value)]);
  }
  if (node?.kind === "list") return node.items.map(({ value }) => bare(value));
  return node && [node.text, node.plain];
}
