/** Changes to lists, made in the text of a manifest: whatever they do not touch stays as it is. */

import {
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { expandAliases } from "../yaml/yaml_alias.ts";
import {
  addBlockList,
  editBlockList,
  fillBlockList,
  type Target,
} from "./block_edit.ts";
import { type Change, changedValue } from "./change.ts";
import { type Edit, edited } from "./edit.ts";
import {
  addFlowList,
  editFlowList,
  fillFlowList,
  isJson,
} from "./flow_edit.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { nodeAt, pairAt } from "./node_at.ts";
import { copyLimit, sameValue, type Value, valueAt } from "./value.ts";
import { type Style, styleOf } from "./written_value.ts";

/** A text with the changes in it. */
export interface Spliced {
  /** The text. */
  readonly text: string;
  /** True when its aliases had to be written out, which keeps comments and not the layout. */
  readonly rewritten: boolean;
}

/**
 * Makes changes in the text of a manifest.
 *
 * The result is read again and compared with what the changes lead to; aliases and merge keys can
 * make it differ, and are written out then.
 *
 * @param manifest Read from a text that ends with a line end.
 * @param changes In order.
 * @param eol Line end of what is added.
 * @returns `undefined` when the changes cannot be made in this text.
 */
export function splice(
  manifest: Manifest,
  changes: readonly Change[],
  eol: string,
): Spliced | undefined {
  const style = styleOf(manifest.document, eol);
  const goal = changedValue(manifest.value, changes);
  const text = spliced(manifest, changes, { style, goal });
  if (text !== undefined) return { text, rewritten: false };
  const expanded = readManifest(withoutAliases(manifest.text, style));
  if ("fault" in expanded) return undefined;
  const other = spliced(expanded, changes, { style, goal });
  return other === undefined ? undefined : { text: other, rewritten: true };
}

function spliced(
  manifest: Manifest,
  changes: readonly Change[],
  { style, goal }: { readonly style: Style; readonly goal: Value },
): string | undefined {
  const target = { text: manifest.text, style };
  const edits = changes.flatMap((change) => editsOf(target, manifest, change));
  const result = edited(manifest.text, edits);
  if (result === undefined) return undefined;
  const after = readManifest(result);
  if ("fault" in after || !sameValue(after.value, goal)) return undefined;
  return result;
}

/** None behind aliases and merge keys: perhaps what they stand for is changed anyway. */
function editsOf(
  target: Target,
  { document, value }: Manifest,
  change: Change,
): readonly Edit[] {
  const { path, key } = change;
  const map = nodeAt(document.contents, path);
  if (!isMap(map)) return [];
  const pair = pairAt(map, key);
  if (pair === undefined) {
    if (valueAt(value, [...path, key]) !== undefined) return [];
    return map.flow
      ? addFlowList(target, map, change)
      : addBlockList(target, map, change);
  }
  if (isSeq(pair.value)) return listEdits(target, map, pair, change);
  // The tag of a scalar would be wrong for a list.
  if (!isScalar(pair.value) || pair.value.tag !== undefined) return [];
  return map.flow
    ? fillFlowList(target, map, pair, change)
    : fillBlockList(target, map, pair, change);
}

function listEdits(
  target: Target,
  map: YAMLMap,
  pair: Pair,
  change: Change,
): readonly Edit[] {
  const list = pair.value;
  if (!isSeq(list)) return [];
  if (!list.flow) return editBlockList(target, list, change);
  const { text } = target;
  const [from = 0, to = 0] = list.range ?? [];
  if (!map.flow && /^\[[ \t]*\]$/.test(text.slice(from, to))) {
    return fillBlockList(target, map, pair, change);
  }
  const json = isJson(map.flow ? map : list.items[0]);
  return editFlowList(target, list, change, json);
}

function withoutAliases(text: string, { eol, step, dash }: Style): string {
  // Scalars of this schema are written as they were spelled.
  const document = parseDocument(text, {
    schema: "failsafe",
    logLevel: "error",
    uniqueKeys: false,
  });
  expandAliases(document, copyLimit);
  const rewritten = document.toString({
    indent: step,
    indentSeq: dash > 0,
    lineWidth: 0,
  });
  return rewritten.replaceAll("\n", eol);
}
