/** `$patch: delete` and `$patch: replace`: strategic merge directives. */

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

/** A key, or the first element of a list with a given key and value. */
export type DirectiveStep = string | {
  readonly key: string;
  readonly value: ConfigNode;
};

interface DirectiveRemoval {
  readonly path: readonly DirectiveStep[];
  /** True if the patch has a replacement, so that the target may be missing. */
  readonly replaced: boolean;
}

/** A patch with its directives extracted. */
export interface Directives {
  /** Values to merge; `undefined` if none are left. */
  readonly root: MapNode | undefined;
  /** Removals to apply first, in patch order. */
  readonly removals: readonly DirectiveRemoval[];
  readonly document?: "delete" | "replace";
}

interface DirectiveWalk {
  readonly path: readonly DirectiveStep[];
  readonly removals: DirectiveRemoval[];
  /** True inside a list element, which has no path. */
  readonly inElement: boolean;
}

/** Extracts the directives from a patch. Throws `ConfigError` if a directive is unknown or ambiguous. */
export function readDirectives(root: MapNode): Directives {
  const removals: DirectiveRemoval[] = [];
  const said = findMark(root);
  const rest = said === undefined ? root : without(root);
  if (said === "delete") return { root: undefined, removals, document: said };
  const stripped = stripMap(rest, { path: [], removals, inElement: false });
  return {
    root: stripped,
    removals,
    document: said,
  };
}

function stripMap(root: MapNode, walk: DirectiveWalk): MapNode | undefined {
  const entries = root.entries.flatMap((entry): MapEntry[] => {
    const path = [...walk.path, entry.key];
    const value = stripValue(entry.value, { ...walk, path });
    return value === undefined ? [] : [{ ...entry, value }];
  });
  // A mapping with directives only must not be created in the document.
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
  if (walk.inElement) throw misplacedError(node.at, said);
  walk.removals.push({ path: walk.path, replaced: said === "replace" });
  // Values beside `delete` are deleted too.
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
  // An empty list must replace the old one.
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
  if (walk.inElement) throw misplacedError(value.at, said);
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
  // Alone in an element, the directive applies to the list.
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

function misplacedError(at: Place | undefined, said: string): ConfigError {
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

/** Removes a value from a document. Returns the new document; `undefined` if the value does not exist. */
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

/** Formats a path for messages: `machine.network.interfaces[interface=eth0]`. */
export function stepsText(path: readonly DirectiveStep[]): string {
  return path.map((step, index) => {
    if (typeof step === "string") return index === 0 ? step : `.${step}`;
    const { key, value } = step;
    return `[${key}=${value.kind === "scalar" ? value.text : "…"}]`;
  }).join("");
}
