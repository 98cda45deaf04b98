/** Node facts that a step may change, whose current values a later step may not see. */

import type { FactName } from "../../runbook_cel/facts.ts";
import { findEffect, type Module } from "../../modules/module.ts";

/** Facts that never change during the life of a node. */
export const lasting: readonly FactName[] = [
  "name",
  "address",
  "role",
  "platform",
];

const configured: readonly FactName[] = [
  "image",
  "kubernetesVersion",
  "labels",
  "ready",
  "zone",
];

/** Facts that a reboot may change: all that can change. */
export const booted: readonly FactName[] = [
  ...configured,
  "bootId",
  "bootloader",
  "caps",
  "customized",
  "etcd",
  "reachable",
  "schematic",
  "secureBoot",
  "stage",
  "version",
];

/** Facts of its node that a module may change. */
export function movedBy(module: Module): readonly FactName[] {
  if (module.changedFacts !== undefined) return module.changedFacts;
  switch (findEffect(module)) {
    case "read":
      return [];
    case "write":
      return module.name.startsWith("etcd.")
        ? [...configured, "etcd"]
        : configured;
    case "disrupt":
    case "destroy":
      return booted;
  }
}

/** Facts that the language's functions read from a node. */
export const readByFunction: ReadonlyMap<string, readonly FactName[]> = new Map(
  ["needsUpgrade", "targetImage"].map((name) => [name, [
    "customized",
    "image",
    "platform",
    "schematic",
    "secureBoot",
    "version",
  ]]),
);

/** Facts that steps may have changed so far, by node. */
export interface FactChanges {
  /** Records that a step may change facts. */
  readonly add: (
    node: string,
    facts: readonly FactName[],
    path: string,
  ) => void;
  /** Finds the steps that may have changed a fact. Returns their paths; empty when it is unchanged. */
  readonly of: (
    nodes: readonly string[],
    facts: readonly string[],
  ) => readonly string[];
  /** Nodes with any change. */
  readonly nodes: ReadonlySet<string>;
}

/** Makes an empty record of changes. */
export function noMovements(): FactChanges {
  const byNode = new Map<string, Map<string, Set<string>>>();

  function add(node: string, facts: readonly FactName[], path: string): void {
    const own = byNode.get(node) ?? new Map<string, Set<string>>();
    byNode.set(node, own);
    for (const fact of facts) {
      own.set(fact, (own.get(fact) ?? new Set()).add(path));
    }
  }

  function of(nodes: readonly string[], facts: readonly string[]) {
    const paths = nodes.flatMap((node) =>
      facts.flatMap((fact) => [...byNode.get(node)?.get(fact) ?? []])
    );
    return [...new Set(paths)];
  }

  return {
    add,
    of,
    get nodes() {
      return new Set(byNode.keys());
    },
  };
}
