/** `$patch: delete` and `$patch: replace`: what a strategic merge cannot say by values. */

import { ConfigError } from "../../errors.ts";
import type {
  ConfigNode,
  ListItem,
  ListNode,
  MapEntry,
  MapNode,
  Place,
} from "../tree/node.ts";
import { sameValue } from "../tree/resolve.ts";

const mark = "$patch";

/** A key, or the first element of a list whose key has a value. */
export type DirectiveStep = string | {
  readonly key: string;
  readonly value: ConfigNode;
};

interface DirectiveRemoval {
  readonly path: readonly DirectiveStep[];
  /** True when the patch puts something in its place, so that it may be absent. */
  readonly replaced: boolean;
}

/** A patch without its marks. */
export interface Directives {
  /** Values to merge; `undefined` when nothing is left. */
  readonly root: MapNode | undefined;
  /** What to take out first, in the order of the patch. */
  readonly removals: readonly DirectiveRemoval[];
  /** What the mark at the top says about the document as a whole. */
  readonly document?: "delete" | "replace";
}

interface DirectiveWalk {
  readonly path: readonly DirectiveStep[];
  readonly removals: DirectiveRemoval[];
  /** Inside an element of a list, which has no path of its own. */
  readonly inElement: boolean;
}

/**
 * Takes the marks out of a patch. Throws `ConfigError` if a mark says something unknown, or is
 * where it is not clear what is meant.
 */
export function readDirectives(root: MapNode): Directives {
  const removals: DirectiveRemoval[] = [];
  const said = findMark(root);
  const rest = said === undefined ? root : without(root);
  if (said === "delete") return { root: undefined, removals, document: said };
  const stripped = stripMap(rest, { path: [], removals, inElement: false });
  return {
    root: stripped,
    removals,
    ...(said === undefined ? {} : { document: said }),
  };
}

function stripMap(root: MapNode, walk: DirectiveWalk): MapNode | undefined {
  const entries = root.entries.flatMap((entry): MapEntry[] => {
    const path = [...walk.path, entry.key];
    const value = stripValue(entry.value, { ...walk, path });
    return value === undefined ? [] : [{ ...entry, value }];
  });
  // A mapping that held marks only must not come into being in the document.
  const emptied = entries.length === 0 && root.entries.length > 0;
  return emptied ? undefined : { ...root, entries };
}

function stripValue(
  node: ConfigNode,
  walk: DirectiveWalk,
): ConfigNode | undefined {
  if (node.kind === "list") return stripList(node, walk);
  if (node.kind !== "map") return node;
  const said = findMark(node);
  if (said === undefined) return stripMap(node, walk);
  if (walk.inElement) throw misplaced(node.at, said);
  walk.removals.push({ path: walk.path, replaced: said === "replace" });
  // Whatever is beside `delete` goes the way of what is deleted.
  return said === "delete" ? undefined : stripMap(without(node), walk);
}

function stripList(
  node: ListNode,
  walk: DirectiveWalk,
): ConfigNode | undefined {
  const kept = node.items.flatMap((item): ListItem[] => {
    const value = stripItem(item.value, walk);
    return value === undefined ? [] : [{ ...item, value }];
  });
  const emptied = kept.length === 0 && node.items.length > 0;
  // An empty list must take the place of one that is replaced.
  const replaced = walk.removals.some((removal) =>
    removal.replaced && removal.path === walk.path
  );
  return emptied && !replaced ? undefined : { ...node, items: kept };
}

function stripItem(
  value: ConfigNode,
  walk: DirectiveWalk,
): ConfigNode | undefined {
  const said = value.kind === "map" ? findMark(value) : undefined;
  if (said === undefined || value.kind !== "map") {
    return stripValue(value, { ...walk, inElement: true });
  }
  if (walk.inElement) throw misplaced(value.at, said);
  const rest = without(value);
  const [chosen] = rest.entries;
  if (chosen !== undefined) {
    const { key } = chosen;
    const path = [...walk.path, { key, value: chosen.value }];
    walk.removals.push({ path, replaced: said === "replace" });
    return said === "replace"
      ? stripMap(rest, { ...walk, inElement: true })
      : undefined;
  }
  if (said === "delete") {
    throw new ConfigError(
      `Cannot tell which element to delete${placeText(value.at)}`,
      { hint: "Give one of its keys and values next to $patch: delete" },
    );
  }
  // Alone in an element, the mark is about the list.
  walk.removals.push({ path: walk.path, replaced: true });
  return undefined;
}

function findMark(node: MapNode): "delete" | "replace" | undefined {
  const entry = node.entries.find(({ key }) => key === mark);
  if (entry === undefined) return undefined;
  const said = entry.value.kind === "scalar" ? entry.value.text : "";
  if (said === "delete" || said === "replace") return said;
  throw new ConfigError(
    `Cannot apply the patch${
      placeText(entry.at)
    }: ${mark} is neither delete nor replace`,
    { hint: `Write ${mark}: delete or ${mark}: replace` },
  );
}

function without(node: MapNode): MapNode {
  return { ...node, entries: node.entries.filter(({ key }) => key !== mark) };
}

function misplaced(at: Place | undefined, said: string): ConfigError {
  return new ConfigError(
    `Cannot apply ${mark}: ${said} inside an element of a list${placeText(at)}`,
    { hint: "Replace the whole list or element" },
  );
}

function placeText(at: Place | undefined): string {
  return at === undefined
    ? ""
    : ` ("${at.file}", line ${at.line}, column ${at.column})`;
}

/** Takes something out of a document. Returns the document without it; `undefined` when it is not there. */
export function remove(
  root: MapNode,
  path: readonly DirectiveStep[],
): MapNode | undefined {
  const without = removeFrom(root, path);
  return without?.kind === "map" ? without : undefined;
}

function removeFrom(
  node: ConfigNode,
  [step, ...rest]: readonly DirectiveStep[],
): ConfigNode | undefined {
  if (step === undefined) return undefined;
  if (typeof step === "object") return removeItem(node, step);
  if (node.kind !== "map") return undefined;
  const found = node.entries.find(({ key }) => key === step);
  if (found === undefined) return undefined;
  const value = rest.length === 0 ? undefined : removeFrom(found.value, rest);
  if (rest.length > 0 && value === undefined) return undefined;
  const entries = node.entries.flatMap((entry) => {
    if (entry !== found) return [entry];
    return value === undefined ? [] : [{ ...entry, value }];
  });
  return { ...node, entries };
}

function removeItem(
  node: ConfigNode,
  { key, value }: Exclude<DirectiveStep, string>,
): ConfigNode | undefined {
  if (node.kind !== "list") return undefined;
  const found = node.items.find((item) =>
    item.value.kind === "map" &&
    item.value.entries.some((entry) =>
      entry.key === key && matches(entry.value, value)
    )
  );
  if (found === undefined) return undefined;
  return { ...node, items: node.items.filter((item) => item !== found) };
}

function matches(found: ConfigNode, wanted: ConfigNode): boolean {
  const sameText = found.kind === "scalar" && wanted.kind === "scalar" &&
    found.text === wanted.text;
  return sameText || sameValue(found, wanted);
}

/** A path as messages show it: `machine.network.interfaces[interface=eth0]`. */
export function stepsText(path: readonly DirectiveStep[]): string {
  return path.map((step, index) => {
    if (typeof step === "string") return index === 0 ? step : `.${step}`;
    const { key, value } = step;
    return `[${key}=${value.kind === "scalar" ? value.text : "…"}]`;
  }).join("");
}
