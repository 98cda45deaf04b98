/** Where something stands in a stream of manifests, for messages. */

import { isNode } from "yaml";
import type { ConfigError } from "../../errors.ts";
import { misread, type Position } from "../yaml/yaml_tree.ts";
import type { Manifest } from "./manifest.ts";
import { nodeAt } from "./node_at.ts";
import type { Section } from "./stream.ts";
import type { ValueFault } from "./value.ts";
import type { ManifestObject } from "./workload.ts";

/**
 * Tells where an object stands.
 *
 * @param object An object.
 * @param manifest Document it is in.
 * @param section Section of the document.
 * @returns `line 14 (document 2)`; the line is that of the document when the object is behind an alias.
 */
export function placeOf(
  { path }: Pick<ManifestObject, "path">,
  { document }: Manifest,
  section: Section,
): string {
  const node = nodeAt(document.contents, path);
  const range = isNode(node) ? node.range : document.contents?.range;
  const { line } = positionOf(section, range?.[0] ?? 0);
  return `line ${line} (document ${section.number})`;
}

/**
 * Makes the error for a document that cannot be read.
 *
 * @param file Name of the file, as the user knows it.
 * @param section Section of the document.
 * @param fault What is wrong with it.
 */
export function unreadable(
  file: string,
  section: Section,
  { fault, offset, hint }: ValueFault,
): ConfigError {
  const at = positionOf(section, offset ?? 0);
  return misread(file, at, `${fault} (document ${section.number})`, hint);
}

function positionOf({ text, line }: Section, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: line + before.length - 1, column };
}
