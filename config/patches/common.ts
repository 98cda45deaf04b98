/** What patches of several nodes have in common. */

import { findFields, identify } from "../documents/load.ts";
import { findRules, type Rule, rulesIn } from "./merge_rule.ts";
import {
  type ConfigNode,
  findChild,
  type MapEntry,
  type MapNode,
} from "../tree/node.ts";
import { sameValue } from "../tree/resolve.ts";

/** Documents of a strategic merge patch. */
export type PatchRoots = readonly MapNode[];

/** A part of several patches, and what is left of each. */
interface CommonPatches {
  readonly common: PatchRoots;
  readonly rest: readonly PatchRoots[];
}

/**
 * Splits patches: merging the common part and then the rest is the same as merging the patch.
 *
 * @param isWanted Limits the common part, by document kind (empty for the main one) and top-level key.
 */
export function splitCommon(
  patches: readonly PatchRoots[],
  isWanted: (kind: string, key: string) => boolean = () => true,
): CommonPatches {
  const [first = [], ...others] = patches;
  const common = first.flatMap((root) => {
    const same = others.map((roots) => findSame(roots, root));
    if (!same.every((one) => one !== undefined)) return [];
    const isWhole = [root, ...same].some((one) => findChild(one, "$patch"));
    if (isWhole && !same.every((one) => sameValue(one, root))) return [];
    const kind = findText(root, "kind") ?? "";
    const shared = shareMap([root, ...same], rulesFor(root)).filter(({ key }) =>
      isIdentity(root, key) || isWanted(kind, key)
    );
    const isEmpty = shared.every(({ key }) => isIdentity(root, key)) &&
      shared.length < root.entries.length;
    return isEmpty ? [] : [{ ...root, entries: shared }];
  });
  const rest = patches.map((roots) =>
    roots.flatMap((root) => {
      const shared = findSame(common, root);
      if (shared === undefined) return [root];
      const entries = root.entries.flatMap((entry) =>
        isIdentity(root, entry.key) ? [entry] : subtract(entry, shared)
      );
      const isEmpty = entries.every(({ key }) => isIdentity(root, key));
      return isEmpty ? [] : [{ ...root, entries }];
    })
  );
  return { common, rest };
}

function findSame(roots: PatchRoots, wanted: MapNode): MapNode | undefined {
  return roots.find((root) =>
    ["kind", "apiVersion", "name"].every((key) =>
      findText(root, key) === findText(wanted, key)
    )
  );
}

function findText(root: MapNode, key: string): string | undefined {
  const value = findChild(root, key);
  return value?.kind === "scalar" ? value.text : undefined;
}

function isIdentity(root: MapNode, key: string): boolean {
  return findChild(root, "kind") !== undefined &&
    ["kind", "apiVersion", "name"].includes(key);
}

function rulesFor(root: MapNode): (key: string) => Rule {
  const found = identify(root, 1);
  const schema = "message" in found ? undefined : found.schema;
  return findRules(schema && findFields(schema));
}

function shareMap(
  [first, ...others]: readonly MapNode[],
  findRule: (key: string) => Rule,
): readonly MapEntry[] {
  return first?.entries.flatMap((entry) => {
    const values = others.map((one) => findChild(one, entry.key));
    if (!values.every((value) => value !== undefined)) return [];
    const value = share([entry.value, ...values], findRule(entry.key));
    return value === undefined ? [] : [{ ...entry, value }];
  }) ?? [];
}

function share(
  [first, ...others]: readonly ConfigNode[],
  { shape, merge }: Rule,
): ConfigNode | undefined {
  if (first === undefined) return undefined;
  if (others.every((other) => sameValue(first, other))) return first;
  // What a patch replaces whole cannot come in two parts.
  const isWhole = merge === "replace" || merge === "overwrite" ||
    shape.shape === "struct" && shape.whole;
  const maps = [first, ...others].filter((node) =>
    node.kind === "map" && findChild(node, "$patch") === undefined
  ) as readonly MapNode[];
  if (isWhole || maps.length <= others.length) return undefined;
  const entries = shareMap(maps, rulesIn(shape));
  return entries.length === 0 ? undefined : { kind: "map", entries };
}

/** What is left of an entry without its part in another mapping. */
function subtract(entry: MapEntry, shared: MapNode): readonly MapEntry[] {
  const part = findChild(shared, entry.key);
  if (part === undefined) return [entry];
  const { value } = entry;
  if (part.kind !== "map" || value.kind !== "map" || sameValue(part, value)) {
    return [];
  }
  const entries = value.entries.flatMap((one) => subtract(one, part));
  return [{ ...entry, value: { ...value, entries } }];
}
