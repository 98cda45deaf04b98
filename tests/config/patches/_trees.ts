/** Trees out of and into texts. */

import assert from "node:assert/strict";
import type { ConfigNode, MapNode } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeTree } from "../../../config/tree/write.ts";

/** The value of a text with one document. */
export function treeIn(text: string, file = "f"): ConfigNode {
  const [document] = readDocuments(text, file).documents;
  assert.ok(document !== undefined);
  return document.root;
}

/** The mapping of a text with one document. */
export function mapIn(text: string, file = "f"): MapNode {
  const root = treeIn(text, file);
  assert.ok(root.kind === "map");
  return root;
}

/** A value as text; nothing as nothing. */
export function formatTree(node: ConfigNode | undefined): string {
  return node === undefined ? "" : writeTree(node);
}
