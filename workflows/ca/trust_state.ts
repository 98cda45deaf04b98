/** How far a node is in the rotation of a CA: four states, distinguished from its trust list alone. */

import { RefusedError } from "../../errors.ts";
import { short } from "./certificate_text.ts";
import type { TrustList } from "./trust_list.ts";

/** How far a node is, in order. */
export const trustStates = ["old", "accepting", "issuing", "new"] as const;

/** How far a node is. */
export type TrustState = typeof trustStates[number];

/** Two CAs that take each other's place. */
export interface Rotation {
  /** Fingerprint of the one that goes. */
  readonly old: string;
  /** Fingerprint of the one that comes. */
  readonly new: string;
  /** Fingerprints of others that were accepted before it began. */
  readonly kept: readonly string[];
}

const stateTexts: Readonly<Record<TrustState, string>> = {
  old: "the old CA issues, the new one is not accepted",
  accepting: "the old CA issues, the new one is accepted",
  issuing: "the new CA issues, the old one is accepted",
  new: "the new CA issues, the old one is not accepted",
};

/** Reports how far a node is; `undefined` when it is none of the four. */
export function findTrustState(
  list: TrustList,
  rotation: Rotation,
): TrustState | undefined {
  const accepted = new Set(list.accepted.map(({ fingerprint }) => fingerprint));
  const known = new Set([rotation.old, rotation.new, ...rotation.kept]);
  if ([...accepted].some((one) => !known.has(one))) return undefined;
  const hasNew = accepted.has(rotation.new);
  const hasOld = accepted.has(rotation.old);
  switch (list.issuing?.fingerprint) {
    case rotation.old:
      return hasNew ? "accepting" : "old";
    case rotation.new:
      return hasOld ? "issuing" : "new";
    case undefined:
      // Workers of newer nodes: what is accepted is all there is.
      if (list.controlPlane) return undefined;
      if (hasOld) return hasNew ? "accepting" : "old";
      return hasNew ? "new" : undefined;
    default:
      return undefined;
  }
}

/** The same, for those who cannot continue without. Throws `RefusedError` if it is none of the four. */
export function knownState(
  node: string,
  list: TrustList,
  rotation: Rotation,
): TrustState {
  const state = findTrustState(list, rotation);
  if (state !== undefined) return state;
  const issuing = list.issuing === undefined
    ? "no CA"
    : short(list.issuing.fingerprint);
  const accepted = list.accepted.map(({ fingerprint }) => short(fingerprint));
  const states = trustStates.map((one) => `${one} (${stateTexts[one]})`);
  throw new RefusedError(
    `${node} is in none of the four states ${states.join(", ")}: ` +
      `${issuing} issues, accepted are ${accepted.join(", ") || "none"}; ` +
      `old is ${short(rotation.old)}, new is ${short(rotation.new)}`,
    {
      hint:
        "Another user or process has changed the node's CAs: restore them, then resume",
    },
  );
}
