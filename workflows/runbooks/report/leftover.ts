/** What a run leaves open when it is not resumed. */

import { splitKey } from "../journal/resume_state.ts";
import type { Residue } from "../event.ts";
import type { RunHistory } from "../journal/history.ts";
import { residueList } from "../journal/residue.ts";
import { type InDoubt, listInDoubt } from "../store/run_condition.ts";

/** What a run leaves open. */
export interface Leftover {
  /** What was sent to nodes and has no end on record. */
  readonly inDoubt: readonly InDoubt[];
  /** What was left behind on nodes. */
  readonly residue: readonly Residue[];
  /** Nodes that were left in the middle of their steps. */
  readonly inside: readonly string[];
}

/** Finds what a run leaves open. */
export function findLeftover(history: RunHistory): Leftover {
  return {
    inDoubt: listInDoubt(history),
    residue: residueList(history.residue),
    inside: [...history.nodes].flatMap(([key, { state }]) =>
      state === undefined ? [splitKey(key).node] : []
    ),
  };
}

/** Says what a run leaves open, a line each; none when it leaves nothing. */
export function leftoverLines(
  { inDoubt, residue, inside }: Leftover,
): readonly string[] {
  return [
    ...inDoubt.map(({ step, node, operation }) =>
      `in doubt: ${operation} at ${step}${
        node === undefined ? "" : ` on ${node}`
      }`
    ),
    ...inside.map((node) => `interrupted in the middle of its steps: ${node}`),
    ...residue.map(({ message }) => `left on nodes: ${message}`),
  ];
}
