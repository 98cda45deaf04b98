/** Finds the steps that must run before an expression has a value. */

import { references } from "../../runbook_cel/expression.ts";
import type { CelCall, Reference } from "../../runbook_cel/syntax.ts";
import { sourcesIn } from "../../runbook_cel/template.ts";
import { groupKey } from "../journal/history.ts";
import type { NodeGroup } from "../runbook.ts";
import { booted, lasting, readByFunction } from "./changing_facts.ts";
import {
  type PlanPosition,
  type PlanValue,
  UnknownValue,
} from "./plan_position.ts";
import type { Planner } from "./planner.ts";

/** Paths of the steps that a value depends on; `undefined` when it is known. */
type NeededValues = readonly string[] | undefined;

/**
 * Finds why an expression has no value yet.
 *
 * @returns Steps it depends on, empty for values that only the run knows; `undefined` when it has a value.
 */
export function findNeeds(
  planner: Planner,
  place: PlanPosition,
  source: string,
): NeededValues {
  const { references: all, calls } = references(source);
  return together([
    ...all.map((one) => findReferenceNeeds(planner, place, one, calls)),
    ...calls.map(findCallNeeds),
  ]);
}

/** Merges needs; `undefined` when all values are known. */
export function together(all: readonly NeededValues[]): NeededValues {
  const missing = all.filter((one) => one !== undefined);
  return missing.length === 0 ? undefined : [...new Set(missing.flat())];
}

/** Needs of functions whose results only the run knows: reached steps, and the time. */
function findCallNeeds({ name, texts }: CelCall): NeededValues {
  if (name === "now" || name === "changed") return [];
  return name === "reached" ? texts.flatMap((text) => text ?? []) : undefined;
}

function findReferenceNeeds(
  planner: Planner,
  place: PlanPosition,
  reference: Reference,
  calls: readonly CelCall[],
): NeededValues {
  const { path, over } = reference;
  const [root, member, , inner] = path;
  const { book } = place.frame;
  if (over !== undefined) {
    // A comprehension variable: its source is a reference of its own.
    return over.path[0] === "groups"
      ? movedIn(
        planner,
        listNodes(planner, place, over.path[1]),
        listFacts(member, calls),
      )
      : undefined;
  }
  switch (root) {
    case "inputs":
      return needsIn(Object.entries(book.inputs), member);
    case "vars":
      return needsIn(Object.entries(book.vars), member);
    case "groups":
      return together([
        findGroupNeeds(planner, place, member),
        inner === undefined ? undefined : movedIn(
          planner,
          listNodes(planner, place, member),
          [String(inner)],
        ),
      ]);
    case "decisions":
      return findDecisionNeeds(planner.engine.decisions, member);
    case "steps":
      return findStepNeeds(place, member);
    case "node":
      return findNodeNeeds(planner, place, member, calls);
    case "cluster":
      return member === "versions"
        ? movedIn(planner, [...planner.moved.nodes], ["version"])
        : undefined;
    default:
      // `error` and `result`.
      return [];
  }
}

/** A group that is resolved when a step starts may differ by then. */
function findGroupNeeds(
  planner: Planner,
  place: PlanPosition,
  name: ReferencePart,
): NeededValues {
  const { groups } = place.frame.book.runbook;
  if (typeof name !== "string") {
    const all = Object.keys(groups);
    return together(all.map((one) => findGroupNeeds(planner, place, one)));
  }
  const group = groups[name];
  return group?.at === "entry"
    ? groupNeeds(planner, place, group)
    : place.groups.get(name);
}

/** Finds the steps that the nodes of a group depend on. */
export function groupNeeds(
  planner: Planner,
  place: PlanPosition,
  group: NodeGroup,
): NeededValues {
  const { take, labels, order, changed } = group;
  if (changed) return [];
  const { node: _, ...frame } = place.frame;
  const anybody = { ...place, frame };
  const facts = [
    ...(labels === undefined ? [] : ["labels"]),
    // With `take`, the nodes depend on the order.
    ...(take === undefined ? [] : order.map((key) => orderFacts[key])),
  ];
  const moved = planner.moved.of([...planner.moved.nodes], facts);
  return together([
    ...listSources(group).map((one) => findNeeds(planner, anybody, one)),
    ...listOthers(group).map((other) => findGroupNeeds(planner, place, other)),
    moved.length === 0 ? undefined : moved,
  ]);
}

const orderFacts = {
  name: "name",
  zone: "zone",
  zoneRoundRobin: "zone",
  version: "version",
  etcdLeaderLast: "etcd",
} as const;

/** Expressions of a group. */
export function listSources(
  { where, names, take }: NodeGroup,
): readonly string[] {
  return [
    ...where === undefined ? [] : [where],
    ...[names, take].flatMap((one) => one === undefined ? [] : sourcesIn(one)),
  ];
}

/** Groups that a group derives from. */
export function listOthers(
  { from, union = [], except }: NodeGroup,
): readonly string[] {
  return [...(from === undefined ? [] : [from]), ...union, ...except];
}

type ReferencePart = string | null | undefined;

/** The values of steps that were not reached are unknown, too. */
function findDecisionNeeds(
  decisions: ReadonlyMap<string, PlanValue>,
  name: ReferencePart,
): NeededValues {
  return typeof name === "string" && !decisions.has(name)
    ? []
    : needsIn(decisions, name);
}

/** Needs of one of some values, or of all where the name is not known. */
function needsIn(
  values: Iterable<readonly [name: string, value: PlanValue]>,
  name: ReferencePart,
): NeededValues {
  return together(
    [...values].map(([one, value]) =>
      typeof name === "string" && one !== name ? undefined : listNeeds(value)
    ),
  );
}

function findStepNeeds(
  { frame, failing }: PlanPosition,
  id: ReferencePart,
): NeededValues {
  if (typeof id !== "string") return [];
  // The innermost scope with a step of that name counts.
  const scopes = [frame.outputs, ...frame.around.toReversed()];
  const scope = scopes.find((one) => one.has(id));
  if (scope === undefined) return [];
  const needs = listNeeds(scope.get(id));
  return failing && scope === frame.outputs ? needs ?? [] : needs;
}

function listNeeds(value: PlanValue | undefined): NeededValues {
  return value instanceof UnknownValue ? value.needs : undefined;
}

const stays: ReadonlySet<string> = new Set(lasting);

function findNodeNeeds(
  planner: Planner,
  { frame: { node }, failing, anyNode }: PlanPosition,
  member: ReferencePart,
  calls: readonly CelCall[],
): NeededValues {
  const facts = listFacts(member, calls);
  if (anyNode) return [];
  if (failing && facts.some((fact) => !stays.has(fact))) return [];
  const nodes = node === undefined
    // Conditions of groups may refer to any node.
    ? [...planner.moved.nodes]
    : [node];
  return movedIn(planner, nodes, facts);
}

/** Facts that an expression reads; for a node passed to a function, the facts that the function reads. */
function listFacts(
  member: ReferencePart,
  calls: readonly CelCall[],
): readonly string[] {
  if (typeof member === "string") return [member];
  const read = calls.flatMap(({ name }) => readByFunction.get(name) ?? []);
  return read.length === 0 ? booted : read;
}

function movedIn(
  { moved }: Planner,
  nodes: readonly string[],
  facts: readonly string[],
): NeededValues {
  const paths = moved.of(nodes, facts);
  return paths.length === 0 ? undefined : paths;
}

function listNodes(
  { engine }: Planner,
  { frame: { book } }: PlanPosition,
  group: ReferencePart,
): readonly string[] {
  return typeof group === "string"
    ? engine.groups.get(groupKey(book, group)) ?? []
    : [...engine.groups.values()].flat();
}
