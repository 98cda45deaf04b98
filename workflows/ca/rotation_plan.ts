/** What an exchange of authorities would do, without doing it. */

import { ConfigError, RefusedError } from "../../errors.ts";
import type { Site } from "../operations/operation.ts";
import { short } from "./certificate_text.ts";
import { trustOfEach } from "./cluster_trust.ts";
import type { CaKind } from "./trust_list.ts";

/** What would be done to a node. */
export interface RotationRow {
  /** Which authority. */
  readonly kind: CaKind;
  /** The node. */
  readonly node: string;
  /** What it is. */
  readonly role: "controlplane" | "worker";
  /** Fingerprint of the authority that issues now; null for workers that name none. */
  readonly issuing: string | null;
  /** Fingerprints of those that are accepted besides. */
  readonly accepted: readonly string[];
  /** Changes of its configuration, in order. */
  readonly steps: readonly string[];
}

/** Nodes in the order they are changed. */
export interface RotationNodes {
  /** Control planes. */
  readonly controlPlanes: readonly string[];
  /** Workers. */
  readonly workers: readonly string[];
}

const usual = ["accept new", "issue new, accept old", "drop old"];

/** Workers of newer nodes name nobody who issues. */
const mute = ["accept new", "drop old"];

/**
 * Looks at all nodes; nothing is sent that changes them.
 *
 * @returns In the order in which they would be changed.
 * @throws {ConfigError} If there is no control plane.
 * @throws {RefusedError} If an exchange is under way.
 */
export async function planRotation(
  cluster: Pick<Site["cluster"], "at">,
  { controlPlanes, workers }: RotationNodes,
  kind: CaKind,
): Promise<readonly RotationRow[]> {
  if (controlPlanes.length === 0) {
    throw new ConfigError("Cannot exchange an authority: no control plane", {
      hint: "Name them with --control-plane-nodes",
    });
  }
  const all = [...controlPlanes, ...workers];
  const lists = await trustOfEach(cluster, all, kind);
  const issuers = new Set(
    lists.flatMap(({ list: { issuing } }) => issuing?.fingerprint ?? []),
  );
  if (issuers.size > 1) {
    throw new RefusedError(
      `An exchange of authority "${kind}" is under way: ${
        [...issuers].map(short).join(" and ")
      } issue`,
      { hint: "See how far each node is with: osctl ca report" },
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
