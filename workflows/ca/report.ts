/** Whom the nodes of a cluster trust, for people and programs. */

import type { Site } from "../operations/operation.ts";
import {
  type NodeTrust,
  type SilentNode,
  trustOfAll,
} from "./cluster_trust.ts";
import type { CaKind } from "./trust_list.ts";
import { type Exchange, type TrustState, trustStateOf } from "./trust_state.ts";

/** Whom a node trusts. */
export interface TrustRow {
  /** The node. */
  readonly node: string;
  /** Which authority. */
  readonly kind: CaKind;
  /** Fingerprint of the one that issues; null for workers that name none, and when the node did not tell. */
  readonly issuing: string | null;
  /** Fingerprints of those that are accepted besides. */
  readonly accepted: readonly string[];
  /** How far it is; null outside of an exchange, and when it is none of the known states. */
  readonly state: TrustState | null;
  /** Why the node did not tell; null when it did. */
  readonly error: string | null;
}

const kinds: readonly CaKind[] = ["os", "kubernetes"];

/**
 * Asks nodes whom they trust; one that does not tell is a row, too.
 *
 * @returns Two rows for each node, in the order of the nodes.
 */
export async function reportTrust(
  cluster: Pick<Site["cluster"], "at">,
  nodes: readonly string[],
  exchanges: Readonly<Partial<Record<CaKind, Exchange | undefined>>> = {},
): Promise<readonly TrustRow[]> {
  const all = await Promise.all(kinds.map(async (kind) => {
    const answers = await trustOfAll(cluster, nodes, kind);
    return answers.map((one) => rowOf(one, kind, exchanges[kind]));
  }));
  return nodes.flatMap((_, index) => all.flatMap((rows) => rows[index] ?? []));
}

function rowOf(
  answer: NodeTrust | SilentNode,
  kind: CaKind,
  exchange: Exchange | undefined,
): TrustRow {
  const { node } = answer;
  if ("error" in answer) {
    const error = answer.error.message;
    return { node, kind, issuing: null, accepted: [], state: null, error };
  }
  const { issuing, accepted } = answer.list;
  const state = exchange && trustStateOf(answer.list, exchange);
  return {
    node,
    kind,
    issuing: issuing?.fingerprint ?? null,
    accepted: accepted.map(({ fingerprint }) => fingerprint),
    state: state ?? null,
    error: null,
  };
}
