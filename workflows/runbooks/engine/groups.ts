import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import { compareVersions, parseVersion } from "../../../lib/version.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { NodeGroup, OrderKey } from "../runbook.ts";

/** Input for resolving groups. */
export interface GroupContext {
  readonly nodes: readonly NodeFacts[];
  /** Nodes of another group of the runbook. */
  readonly group: (name: string) => readonly string[];
  /** Nodes, by name or address, that the enclosing block has changed. */
  readonly changed: () => readonly string[];
  /** Evaluates a condition for a node. */
  readonly holds: (where: string, node: NodeFacts) => boolean;
  readonly render: (template: Json) => Json;
}

/** Resolves a group to the names of its nodes, in its order. */
export function resolveGroup(
  group: NodeGroup,
  census: GroupContext,
): readonly string[] {
  const among = group.from === undefined
    ? undefined
    : new Set(census.group(group.from));
  const union = group.union === undefined
    ? undefined
    : new Set(group.union.flatMap(census.group));
  const without = new Set(group.except.flatMap(census.group));
  const changed = group.changed ? new Set(census.changed()) : undefined;
  const named = group.names === undefined
    ? undefined
    : new Set(parseNames(group.names, census));
  const chosen = census.nodes.filter((node) =>
    (group.role === undefined || node.role === group.role) &&
    (among === undefined || among.has(node.name)) &&
    (union === undefined || union.has(node.name)) &&
    (named === undefined || isIn(named, node)) &&
    (changed === undefined || isIn(changed, node)) &&
    !without.has(node.name) &&
    hasLabels(node, group.labels) &&
    (group.where === undefined || census.holds(group.where, node))
  );
  const ordered = group.order.length === 0 && (union ?? named) !== undefined
    ? asListed(chosen, [...union ?? named ?? []])
    : inOrder(chosen, group.order);
  const names = ordered.map(({ name }) => name);
  return group.take === undefined
    ? names
    : names.slice(0, parseCount(census.render(group.take), names.length, "up"));
}

function parseNames(
  template: Json,
  { render }: Pick<GroupContext, "render">,
): readonly string[] {
  const value = render(template);
  const list = Array.isArray(value) ? value : [value];
  return list.map(String);
}

/** Refuses a group that names missing nodes. Throws `ConfigError` naming them. */
export function refuseUnknown(
  name: string,
  { names = [] }: NodeGroup,
  census: Pick<GroupContext, "nodes" | "render">,
): void {
  const { nodes } = census;
  const known = new Set(nodes.flatMap(({ name, address }) => [name, address]));
  const unknown = parseNames(names, census).filter((one) => !known.has(one));
  if (unknown.length === 0) return;
  const listed = unknown.map((one) => `"${one}"`).join(", ");
  throw new ConfigError(`Group "${name}": there is no node ${listed}`, {
    hint: `Nodes: ${nodes.map((node) => node.name).join(", ")}`,
  });
}

function isIn(
  names: ReadonlySet<string>,
  { name, address }: NodeFacts,
): boolean {
  return names.has(name) || names.has(address);
}

function hasLabels(
  { labels }: NodeFacts,
  wanted: NodeGroup["labels"],
): boolean {
  return Object.entries(wanted ?? {})
    .every(([key, value]) => labels[key] === value);
}

/** Parses a number of nodes. `value`: `2` or `25%`. `round`: rounding of a percentage. */
export function parseCount(
  value: Json,
  total: number,
  round: "up" | "down",
): number {
  const text = String(value);
  if (!text.endsWith("%")) return Number(text);
  const share = Number(text.slice(0, -1)) * total / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}

function asListed(
  nodes: readonly NodeFacts[],
  list: readonly string[],
): readonly NodeFacts[] {
  const rank = ({ name, address }: NodeFacts) =>
    Math.min(
      ...[name, address].map((one) => list.indexOf(one))
        .filter((index) => index >= 0),
    );
  return nodes.toSorted((a, b) => rank(a) - rank(b));
}

function inOrder(
  nodes: readonly NodeFacts[],
  order: readonly OrderKey[],
): readonly NodeFacts[] {
  // Sorted by name last, so that the order is deterministic.
  const keys: readonly OrderKey[] = [...order, "name"];
  const turns = keys.includes("zoneRoundRobin")
    ? assignTurns(nodes)
    : new Map();
  return nodes.toSorted((a, b) => {
    for (const key of keys) {
      const difference = compare(key, a, b, turns);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function compare(
  key: OrderKey,
  a: NodeFacts,
  b: NodeFacts,
  turns: ReadonlyMap<string, number>,
): number {
  switch (key) {
    case "name":
      return compareText(a.name, b.name);
    case "zone":
      return compareText(a.zone, b.zone);
    case "zoneRoundRobin":
      return (turns.get(a.name) ?? 0) - (turns.get(b.name) ?? 0) ||
        compareText(a.zone, b.zone);
    case "version":
      return olderFirst(a.version, b.version);
    case "etcdLeaderLast":
      // Leadership may move; it is checked again before the node starts.
      return Number(a.etcd.leader) - Number(b.etcd.leader);
  }
}

function assignTurns(nodes: readonly NodeFacts[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const turns = new Map<string, number>();
  for (
    const { name, zone } of nodes.toSorted((a, b) =>
      compareText(a.name, b.name)
    )
  ) {
    const turn = counts.get(zone) ?? 0;
    counts.set(zone, turn + 1);
    turns.set(name, turn);
  }
  return turns;
}

function olderFirst(a: string, b: string): number {
  const [first, second] = [parseVersion(a), parseVersion(b)];
  // Nodes without a value come last.
  if (first === undefined) return second === undefined ? 0 : 1;
  return second === undefined ? -1 : compareVersions(first, second);
}

let collator: Intl.Collator | undefined;

/** Compares names in natural order: `node-2` before `node-10`. */
function compareText(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true }); // takes 8 ms
  return collator.compare(a, b);
}
