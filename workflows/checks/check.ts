/** Conditions of nodes and clusters that gates wait for and `health` shows. */

import type { Json } from "../operations/operation.ts";
import type { OperationClock } from "../operations/operation.ts";
import type { ClusterView } from "../operations/cluster_view.ts";
import type { Fields } from "../runbooks/field.ts";
import type { Loosenable } from "../runbooks/runbook.ts";

/** What a check looked at. */
export type Finding =
  | {
    /** It holds. */
    readonly ok: true;
    /** What was seen, one line: `3 of 3 members healthy`. */
    readonly seen: string;
  }
  | {
    /** It does not hold, or cannot be told. */
    readonly ok: false;
    /** Why, one line, lower case first: `etcd of 10.0.0.3 does not answer`. */
    readonly reason: string;
  };

/** What a check is given. */
export interface CheckSite {
  /** Node as the user named it; absent for checks of a cluster outside of a fan-out. */
  readonly node?: string;
  /** The cluster. */
  readonly cluster: ClusterView;
  /** Nodes of a group of the runbook, by name or address; all nodes without a name. */
  readonly group: (name?: string) => Promise<readonly string[]>;
  /**
   * Tells whether a safety rule is loosened now; the operator is asked when the run has not done so yet. Absent
   * where all rules count.
   */
  readonly loosened?: (rule: Loosenable) => Promise<boolean>;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Time. */
  readonly clock: OperationClock;
}

/** A condition; looking changes nothing. */
export interface Check {
  /** Name: `k8s.nodeReady`. */
  readonly name: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /** `node` for those that look at `site.node`. */
  readonly scope: "cluster" | "node";
  /** What it takes. */
  readonly input: Fields;
  /**
   * Looks once.
   *
   * @throws {OsctlError} When it cannot look; a gate takes that for not yet.
   */
  readonly look: (
    site: CheckSite,
    input: Readonly<Record<string, Json>>,
  ) => Promise<Finding>;
}
