/** Rotation state of a node, derived from its trust list alone. */

import { RefusedError } from "../../errors.ts";
import { short } from "./certificate_text.ts";
import type { TrustList } from "./trust_list.ts";

/** Rotation states, in order. */
export const trustStates = ["old", "accepting", "issuing", "new"] as const;

/** Rotation state of a node. */
export type TrustState = typeof trustStates[number];

/** The old and the new CA. */
export interface Rotation {
  /** Fingerprint of the old CA. */
  readonly old: string;
  /** Fingerprint of the new CA. */
  readonly new: string;
  /** Fingerprints of other CAs accepted before the rotation. */
  readonly kept: readonly string[];
}

const stateTexts: Readonly<Record<TrustState, string>> = {
  old: "the old CA issues, the new one is not accepted",
  accepting: "the old CA issues, the new one is accepted",
  issuing: "the new CA issues, the old one is accepted",
  new: "the new CA issues, the old one is not accepted",
};

/** Finds the rotation state of a node; `undefined` for none of the four. */
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
      // Workers of newer versions list accepted CAs only.
      if (list.controlPlane) return undefined;
      if (hasOld) return hasNew ? "accepting" : "old";
      return hasNew ? "new" : undefined;
    default:
      return undefined;
  }
}

/** Finds the rotation state of a node. Throws `RefusedError` if it is none of the four. */
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
