/** Facts a plan depends on, read by its conditions, groups and functions. */

import { sha256Hex } from "../../../lib/sha256.ts";
import { references } from "../../runbook_cel/expression.ts";
import { sourcesIn } from "../../runbook_cel/template.ts";
import type { Json } from "../../../lib/json.ts";
import type { FactName, NodeFacts } from "../../runbook_cel/facts.ts";
import { allSteps } from "../language/walk.ts";
import type { Facts } from "../read_facts.ts";
import type { NodeGroup, Runbook } from "../runbook.ts";
import { booted, lasting, readByFunction } from "./changing_facts.ts";

const always: readonly FactName[] = [
  "address",
  "image",
  "reachable",
  "role",
  "schematic",
  "version",
];

/**
 * Node facts that a runbook reads.
 *
 * Excludes the etcd leader: leadership moves by itself, and is read each time.
 */
export function factsUsed(runbook: Runbook): readonly FactName[] {
  const used = new Set<string>(always);
  for (const source of listSources(runbook)) {
    const { references: names, calls } = references(source);
    for (const { path: [root, member, , inner], over } of names) {
      const fact = over !== undefined || root === "node"
        ? member
        : root === "groups"
        ? inner
        : undefined;
      if (typeof fact === "string") used.add(fact);
    }
    for (const { name } of calls) {
      for (const fact of readByFunction.get(name) ?? []) used.add(fact);
    }
  }
  for (const group of listGroups(runbook)) {
    if (group.labels !== undefined) used.add("labels");
    if (group.order.some((key) => key.startsWith("zone"))) used.add("zone");
  }
  return [...used].filter(isFact).toSorted();
}

const facts: ReadonlySet<string> = new Set([...booted, ...lasting]);

function isFact(name: string): name is FactName {
  return facts.has(name);
}

/** All expressions in a runbook and in those it uses. */
function listSources(runbook: Runbook): readonly string[] {
  const { steps, rescue, always } = runbook;
  const books = booksIn(runbook);
  const all: readonly Json[] = [
    // Steps are JSON; used runbooks are listed separately.
    ...[...allSteps([...steps, ...rescue, ...always])]
      .map((step) => ownPart(step) as Json),
    ...books.map(({ vars, policy }) => [vars, policy] as unknown as Json),
  ];
  const bare = [
    ...books.flatMap(({ groups }) => Object.values(groups)),
  ].flatMap(({ where, names, take }) => [
    ...(where === undefined ? [] : [where]),
    ...[names, take].flatMap((one) => one === undefined ? [] : sourcesIn(one)),
  ]);
  return [...bare, ...all.flatMap(expressionsIn)];
}

function ownPart(step: object): object {
  const inner = new Set(["steps", "rescue", "always", "runbook", "place"]);
  return Object.fromEntries(
    Object.entries(step).filter(([key]) => !inner.has(key)),
  );
}

const conditions: ReadonlySet<string> = new Set(["when", "that", "condition"]);

/** Finds templates, and conditions, which are plain expressions. */
function expressionsIn(value: Json): readonly string[] {
  if (typeof value === "string") return sourcesIn(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    conditions.has(key) && typeof one === "string" ? [one] : expressionsIn(one)
  );
}

function listGroups(runbook: Runbook): readonly NodeGroup[] {
  return booksIn(runbook).flatMap(({ groups }) => Object.values(groups));
}

function booksIn(runbook: Runbook): readonly Runbook[] {
  const used = new Set<Runbook>();
  const { steps, rescue, always } = runbook;
  for (const step of allSteps([...steps, ...rescue, ...always])) {
    if (step.verb === "use") used.add(step.runbook);
  }
  return [runbook, ...used];
}

/** SHA-256 of the intermediate form of a runbook, hexadecimal; the same as in the header of a run. */
export function hashRunbook(runbook: Runbook): Promise<string> {
  return sha256Hex(JSON.stringify(runbook));
}

/** Hashes the facts a plan depends on. Returns SHA-256 by node, hexadecimal; the cluster's under an empty name. */
export async function hashFacts(
  runbook: Runbook,
  { nodes, cluster: { id, name, endpoint } }: Facts,
  names: ReadonlySet<string>,
): Promise<Readonly<Record<string, string>>> {
  const used = factsUsed(runbook);
  const about = nodes.filter((node) => names.has(node.name));
  const entries = await Promise.all(
    about.map(async (node) =>
      [
        node.name,
        await sha256Hex(JSON.stringify(findBasis(node, used))),
      ] as const
    ),
  );
  const own = await sha256Hex(JSON.stringify([id, name, endpoint]));
  return Object.fromEntries([["", own], ...entries]);
}

function findBasis(node: NodeFacts, used: readonly FactName[]): unknown {
  const { leader: _, ...etcd } = node.etcd;
  const seen = { ...node, etcd };
  return used.map((fact) => [fact, sortKeys(seen[fact])]);
}

/** Sorts keys, so that equal labels give equal text. */
function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1);
}
