/** Unfinished work of a run that is not resumed. */

import { splitKey } from "../journal/resume_state.ts";
import type { Residue } from "../event.ts";
import type { RunHistory } from "../journal/history.ts";
import { residueList } from "../journal/residue.ts";
import { type InDoubt, listInDoubt } from "../store/run_condition.ts";

/** Unfinished work of a run. */
export interface Leftover {
  /** Requests to nodes without a recorded result. */
  readonly inDoubt: readonly InDoubt[];
  /** Residue on nodes. */
  readonly residue: readonly Residue[];
  /** Nodes that were interrupted between their first and last step. */
  readonly inside: readonly string[];
}

/** Finds the unfinished work of a run. */
export function findLeftover(history: RunHistory): Leftover {
  return {
    inDoubt: listInDoubt(history),
    residue: residueList(history.residue),
    inside: [...history.nodes].flatMap(([key, { state }]) =>
      state === undefined ? [splitKey(key).node] : []
    ),
  };
}

/** Formats the unfinished work of a run, one line each; none if there is none. */
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
