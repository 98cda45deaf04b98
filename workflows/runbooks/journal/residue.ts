import type { Residue } from "../event.ts";

type ResidueKind = Residue["kind"];

/** Kinds of residue, by node. */
export type ResidueByNode = Map<string, ReadonlySet<ResidueKind>>;

/** Residue of each module on its node, by name. */
const leaves: Readonly<Record<string, ResidueKind>> = {
  "node.cordon": "cordoned",
  "node.drain": "cordoned",
  "upgrade.install": "armed",
  "ca.accept": "accepted-ca",
};

const clears: Readonly<Record<string, readonly ResidueKind[]>> = {
  "node.uncordon": ["cordoned"],
  "node.reboot": ["armed"],
  reboot: ["armed"],
  "ca.drop": ["accepted-ca"],
};

const messages: Readonly<Record<ResidueKind, string>> = {
  cordoned: "is still cordoned",
  armed: "has an installed version that it was not rebooted into",
  "accepted-ca": "accepts a CA that does not issue certificates",
};

/**
 * Tracks residue.
 *
 * @param residue Residue so far; changed in place.
 * @param module Name of a module that has succeeded.
 */
export function keepResidue(
  residue: ResidueByNode,
  module: string,
  node: string,
): void {
  const left = leaves[module];
  const gone = clears[module];
  if (left === undefined && gone === undefined) return;
  const kinds = new Set(residue.get(node));
  if (left !== undefined) kinds.add(left);
  for (const kind of gone ?? []) kinds.delete(kind);
  residue.set(node, kinds);
}

/** Lists residue, for people and programs. */
export function residueList(residue: ResidueByNode): readonly Residue[] {
  return [...residue].flatMap(([node, kinds]) =>
    [...kinds].map((kind) => ({
      kind,
      node,
      message: `${node} ${messages[kind]}`,
    }))
  );
}
