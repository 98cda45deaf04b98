/** Report of the CAs the nodes of a cluster trust. */

import { ConfigError, type OsctlError, RefusedError } from "../../errors.ts";
import type { NodeContext } from "../operations/operation.ts";
import { short } from "./certificate_text.ts";
import {
  type SilentNode,
  type TrustAnswer,
  trustOfAll,
  trustOfEach,
} from "./cluster_trust.ts";
import type { CaKind } from "./trust_list.ts";
import {
  findTrustState,
  type Rotation,
  type TrustState,
} from "./trust_state.ts";

/** CAs a node trusts. */
export interface CaTrustRow {
  readonly node: string;
  readonly kind: CaKind;
  /** Fingerprint of the issuing CA; null for workers that name none, and when the node did not report it. */
  readonly issuing: string | null;
  /** Fingerprints of the other accepted CAs. */
  readonly accepted: readonly string[];
  /** State of the rotation; null outside of a rotation, and when it is no known state. */
  readonly state: TrustState | null;
  /** Reason why the node did not report; null when it did. */
  readonly error: string | null;
}

const kinds: readonly CaKind[] = ["os", "kubernetes"];

/**
 * Reads the trust lists of nodes; a node that fails is a row, too.
 *
 * @param failed Called with errors of nodes; default none.
 * @returns Two rows for each node, in the order of the nodes.
 */
export async function reportTrust(
  cluster: Pick<NodeContext["cluster"], "at">,
  nodes: readonly string[],
  rotations: Readonly<Partial<Record<CaKind, Rotation | undefined>>> = {},
  failed: (error: OsctlError) => void = () => {},
): Promise<readonly CaTrustRow[]> {
  const all = await Promise.all(kinds.map(async (kind) => {
    const answers = await trustOfAll(cluster, nodes, kind);
    for (const one of answers) if ("error" in one) failed(one.error);
    return answers.map((one) => toRow(one, kind, rotations[kind]));
  }));
  return nodes.flatMap((_, index) => all.flatMap((rows) => rows[index] ?? []));
}

function toRow(
  answer: TrustAnswer | SilentNode,
  kind: CaKind,
  rotation: Rotation | undefined,
): CaTrustRow {
  const { node } = answer;
  if ("error" in answer) {
    const error = answer.error.message;
    return { node, kind, issuing: null, accepted: [], state: null, error };
  }
  const { issuing, accepted } = answer.list;
  const state = rotation && findTrustState(answer.list, rotation);
  return {
    node,
    kind,
    issuing: issuing?.fingerprint ?? null,
    accepted: accepted.map(({ fingerprint }) => fingerprint),
    state: state ?? null,
    error: null,
  };
}

/** Planned changes of a node. */
export interface RotationRow {
  readonly kind: CaKind;
  readonly node: string;
  readonly role: "controlplane" | "worker";
  /** Fingerprint of the current issuing CA; null for workers that name none. */
  readonly issuing: string | null;
  /** Fingerprints of the other accepted CAs. */
  readonly accepted: readonly string[];
  /** Changes of its configuration, in order. */
  readonly steps: readonly string[];
}

/** Nodes in the order they are changed. */
export interface RotationNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

const usual = ["accept new", "issue new, accept old", "drop old"];

const mute = ["accept new", "drop old"];

/**
 * Plans a rotation; changes nothing.
 *
 * @returns In rollout order.
 * @throws {ConfigError} If there is no control plane.
 * @throws {RefusedError} If a rotation is in progress.
 */
export async function planRotation(
  cluster: Pick<NodeContext["cluster"], "at">,
  { controlPlanes, workers }: RotationNodes,
  kind: CaKind,
): Promise<readonly RotationRow[]> {
  if (controlPlanes.length === 0) {
    throw new ConfigError("Cannot rotate a CA: no control plane is known", {
      hint: "Name the control planes with --control-plane-nodes",
    });
  }
  const all = [...controlPlanes, ...workers];
  const lists = await trustOfEach(cluster, all, kind);
  const issuers = new Set(
    lists.flatMap(({ list: { issuing } }) => issuing?.fingerprint ?? []),
  );
  if (issuers.size > 1) {
    throw new RefusedError(
      `A rotation of CA "${kind}" is in progress: ${
        [...issuers].map(short).join(" and ")
      } issue`,
      { hint: "See the state of each node with: osctl ca report" },
    );
  }
  return lists.map(({ node, list: { issuing, accepted } }) => ({
    kind,
    node,
    role: controlPlanes.includes(node) ? "controlplane" : "worker",
    issuing: issuing?.fingerprint ?? null,
    accepted: accepted.map(({ fingerprint }) => fingerprint),
    steps: issuing === undefined ? mute : usual,
  }));
}
