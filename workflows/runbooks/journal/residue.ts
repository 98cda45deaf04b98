/** What a run has left behind on nodes. */

import type { Residue } from "../event.ts";

type Kind = Residue["kind"];

/** Kinds of things that are left behind, by node. */
export type ResidueByNode = Map<string, ReadonlySet<Kind>>;

/** What a module leaves behind on its node, by name. */
const leaves: Readonly<Record<string, Kind>> = {
  "node.cordon": "cordoned",
  "node.drain": "cordoned",
  "upgrade.install": "armed",
  "ca.accept": "accepted-ca",
};

/** What a module takes away again. */
const clears: Readonly<Record<string, readonly Kind[]>> = {
  "node.uncordon": ["cordoned"],
  "node.reboot": ["armed"],
  reboot: ["armed"],
  "ca.drop": ["accepted-ca"],
};

const messages: Readonly<Record<Kind, string>> = {
  cordoned: "is still closed for pods",
  armed: "has a system installed that it was not restarted into",
  "accepted-ca": "accepts a certificate authority that does not issue",
};

/**
 * Keeps account of what is left behind.
 *
 * @param residue What was left before; changed in place.
 * @param module Name of a module that has ended well.
 * @param node Where.
 */
export function keepResidue(
  residue: ResidueByNode,
  module: string,
  node: string,
): void {
  const kinds = new Set(residue.get(node));
  const left = leaves[module];
  if (left !== undefined) kinds.add(left);
  for (const kind of clears[module] ?? []) kinds.delete(kind);
  residue.set(node, kinds);
}

/** What is left behind, for people and programs. */
export function residueList(residue: ResidueByNode): readonly Residue[] {
  return [...residue].flatMap(([node, kinds]) =>
    [...kinds].map((kind) => ({
      kind,
      node,
      message: `${node} ${messages[kind]}`,
    }))
  );
}
