/** Conditions of nodes and clusters that gates wait for and `health` shows. */

import { UsageError } from "../../errors.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import type { ClusterView } from "../operations/cluster_view.ts";
import type { ValueField, ValueFields } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";

/** What a check looked at. */
export type CheckResult =
  | {
    readonly ok: true;
    /** What was seen, one line: `3 of 3 members healthy`; why it was skipped. */
    readonly seen: string;
    /** True when the condition makes no sense here. */
    readonly skipped?: true;
    /** What people are told although it holds, one line, upper case first. */
    readonly note?: string;
  }
  | {
    /** It does not hold, or cannot be known. */
    readonly ok: false;
    /** Why, one line, lower case first: `etcd of 10.0.0.3 does not answer`. */
    readonly reason: string;
    /** True when waiting would not help. */
    readonly final?: true;
  };

/** What a check is given. */
export interface CheckContext {
  /** Node as the user named it; absent for checks of a cluster outside of a fan-out. */
  readonly node?: string;
  readonly cluster: ClusterView;
  /** Nodes of a group of the runbook, by name or address; all nodes without a name. */
  readonly group: (name?: string) => Promise<readonly string[]>;
  /**
   * Reports whether a safety rule is overridden now; the operator is asked when the run has not done so yet. Absent
   * where all rules count.
   */
  readonly overridden?: (rule: OverridableRule) => Promise<boolean>;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/** A condition; looking changes nothing. */
export interface Check<S = CheckContext> {
  /** Name: `k8s.nodeReady`. */
  readonly name: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /** `node` for those that look at `site.node`. */
  readonly scope: "cluster" | "node";
  readonly input: ValueFields;
  /** Looks once. Throws `OsctlError` when it cannot look; a gate takes that for not yet. */
  readonly run: (
    site: S,
    input: Readonly<Record<string, Json>>,
  ) => Promise<CheckResult>;
}

/** Problems that are spelt out; of the others only their number is reported. */
const spelt = 3;

/** Input that names a group of nodes. */
export const groupField: ValueField = {
  type: "string",
  summary: "Group of nodes; default all nodes",
};

/** Input that names a node. */
export const nodeField: ValueField = {
  type: "node",
  summary: "Node; default the one of the fan-out",
};

/** Input that names a node which has left, whatever the cluster still says of it. */
export const goneField: ValueField = {
  type: "string",
  summary: "Node to ignore because it has left, by name or address",
};

/** The finding of a condition that holds. */
export function holds(seen: string): CheckResult {
  return { ok: true, seen };
}

/** The finding of one that makes no sense here. */
export function skipped(why: string): CheckResult {
  return { ok: true, seen: why, skipped: true };
}

/** The finding of one that does not hold. */
export function lacks(reason: string): CheckResult {
  return { ok: false, reason };
}

/**
 * Makes a finding of what is wrong.
 *
 * @param problems One line each; none when it holds.
 * @param seen What was seen when there are none.
 */
export function unless(problems: readonly string[], seen: string): CheckResult {
  if (problems.length === 0) return holds(seen);
  const more = problems.length - spelt;
  const texts = problems.slice(0, spelt).join("; ");
  return lacks(more > 0 ? `${texts}; and ${more} more` : texts);
}

/** The node a check looks at. `input`: its field `node` wins. Throws `UsageError` if there is none. */
export function requireNode(
  site: Pick<CheckContext, "node">,
  input: Readonly<Record<string, Json>>,
): string {
  const node = typeof input.node === "string" ? input.node : site.node;
  if (node !== undefined) return node;
  throw new UsageError("The check works on one node, and none is given", {
    hint: "Set with.node, or use the check inside a forEach",
  });
}
