/** Finds the steps that must run before an expression has a value. */

import { references } from "../../runbook_cel/expression.ts";
import type { CelCall, Reference } from "../../runbook_cel/syntax.ts";
import { sourcesIn } from "../../runbook_cel/template.ts";
import type { Frame } from "../engine/frame.ts";
import { groupKey } from "../journal/history.ts";
import type { NodeGroup } from "../runbook.ts";
import { booted, lasting, readByFunction } from "./changing_facts.ts";
import type { PlanPosition, UnknownValues } from "./plan_position.ts";
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
    ...all.map((one) => needsOfReference(planner, place, one, calls)),
    ...calls.map(needsOfCall),
  ]);
}

/** Merges needs; `undefined` when all values are known. */
export function together(all: readonly NeededValues[]): NeededValues {
  const missing = all.filter((one) => one !== undefined);
  return missing.length === 0 ? undefined : [...new Set(missing.flat())];
}

/** Needs of functions whose results only the run knows: reached steps, and the time. */
function needsOfCall({ name, texts }: CelCall): NeededValues {
  if (name === "now" || name === "changed") return [];
  return name === "reached" ? texts.flatMap((text) => text ?? []) : undefined;
}

function needsOfReference(
  planner: Planner,
  place: PlanPosition,
  reference: Reference,
  calls: readonly CelCall[],
): NeededValues {
  const { path, over } = reference;
  const [root, member, , inner] = path;
  const { names } = place;
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
      return hiddenIn(names.inputs, member);
    case "vars":
      return hiddenIn(names.vars, member);
    case "groups":
      return together([
        needsOfGroup(planner, place, member),
        inner === undefined ? undefined : movedIn(
          planner,
          listNodes(planner, place, member),
          [String(inner)],
        ),
      ]);
    case "decisions":
      return needsOfDecision(planner, member);
    case "steps":
      return needsOfStep(place, member);
    case "node":
      return needsOfNode(planner, place, member, calls);
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
function needsOfGroup(
  planner: Planner,
  place: PlanPosition,
  name: ReferencePart,
): NeededValues {
  const { groups } = place.frame.book.runbook;
  if (typeof name !== "string") {
    const all = Object.keys(groups);
    return together(all.map((one) => needsOfGroup(planner, place, one)));
  }
  const group = groups[name];
  return group?.at === "entry"
    ? groupNeeds(planner, place, group)
    : place.names.groups.get(name);
}

/** Finds the steps that the nodes of a group depend on. */
export function groupNeeds(
  planner: Planner,
  place: PlanPosition,
  group: NodeGroup,
): NeededValues {
  const { where, names, take, labels, order, changed } = group;
  if (changed) return [];
  const anybody = { ...place, frame: without(place.frame) };
  const sources = [
    ...(where === undefined ? [] : [where]),
    ...[names, take].flatMap((one) => one === undefined ? [] : sourcesIn(one)),
  ];
  const facts = [
    ...(labels === undefined ? [] : ["labels"]),
    // With `take`, the nodes depend on the order.
    ...(take === undefined ? [] : order.map((key) => orderFacts[key])),
  ];
  const moved = planner.moved.of([...planner.moved.nodes], facts);
  return together([
    ...sources.map((source) => findNeeds(planner, anybody, source)),
    ...listOthers(group).map((other) => needsOfGroup(planner, place, other)),
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

function without({ node: _, ...frame }: Frame): Frame {
  return frame;
}

/** Groups that a group derives from. */
export function listOthers(
  { from, union = [], except }: NodeGroup,
): readonly string[] {
  return [...(from === undefined ? [] : [from]), ...union, ...except];
}

type ReferencePart = string | null | undefined;

function hiddenIn(hidden: UnknownValues, name: ReferencePart): NeededValues {
  if (typeof name === "string") return hidden.get(name);
  return together([...hidden.values()]);
}

function needsOfDecision(
  { decisions, engine }: Planner,
  name: ReferencePart,
): NeededValues {
  if (typeof name !== "string") return hiddenIn(decisions, name);
  return engine.decisions.has(name) ? undefined : decisions.get(name) ?? [];
}

function needsOfStep(place: PlanPosition, id: ReferencePart): NeededValues {
  const { frame, steps, around, failing } = place;
  if (typeof id !== "string") return [];
  // The innermost scope with a step of that name counts.
  const hidden = [steps, ...around.toReversed()];
  const known = [frame.outputs, ...frame.around.toReversed()];
  for (const [index, scope] of hidden.entries()) {
    const needs = scope.get(id);
    if (needs !== undefined) return needs;
    if (known[index]?.has(id)) return failing && index === 0 ? [] : undefined;
  }
  return [];
}

const stays: ReadonlySet<string> = new Set(lasting);

function needsOfNode(
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
