/** Conditions of nodes and clusters for gates and `health`. */

import { formatFirst } from "../../lib/text/count.ts";
import { UsageError } from "../../errors.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import type { ClusterView } from "../operations/cluster_view.ts";
import type { ValueField, ValueFields } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";

/** Result of a check. */
export type CheckResult =
  | {
    readonly ok: true;
    /** Finding, one line: `3 of 3 members healthy`; or why it was skipped. */
    readonly seen: string;
    /** True when the condition does not apply. */
    readonly skipped?: true;
    /** Note for users when the condition holds, one line, upper case first. */
    readonly note?: string;
  }
  | {
    /** The condition does not hold, or is unknown. */
    readonly ok: false;
    /** Reason, one line, lower case first: `etcd of 10.0.0.3 does not answer`. */
    readonly reason: string;
    /** True when waiting would not help. */
    readonly final?: true;
  };

/** Context of a check. */
export interface CheckContext {
  /** Node as the user named it; absent for cluster checks outside of a fan-out. */
  readonly node?: string;
  readonly cluster: ClusterView;
  /** Nodes of a group of the runbook, by name or address; default all nodes. */
  readonly group: (name?: string) => Promise<readonly string[]>;
  /**
   * Reports whether a safety rule is overridden; asks the operator unless the run already did. Absent where all rules
   * apply.
   */
  readonly overridden?: (rule: OverridableRule) => Promise<boolean>;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/** A condition; the check changes nothing. */
export interface Check<S = CheckContext> {
  /** Name: `k8s.nodeReady`. */
  readonly name: string;
  /** One line for users, upper case first, no period. */
  readonly summary: string;
  /** `node` for checks of `context.node`. */
  readonly scope: "cluster" | "node";
  readonly input: ValueFields;
  /** Checks once. Throws `OsctlError` when the check fails to run; a gate then retries. */
  readonly run: (
    context: S,
    input: Readonly<Record<string, Json>>,
  ) => Promise<CheckResult>;
}

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

/** Input that names a removed node, whatever the cluster still reports of it. */
export const goneField: ValueField = {
  type: "string",
  summary: "Node to ignore because it has left, by name or address",
};

/** Result of a condition that holds. */
export function holds(seen: string): CheckResult {
  return { ok: true, seen };
}

/** Result of a condition that does not apply. */
export function skip(why: string): CheckResult {
  return { ok: true, seen: why, skipped: true };
}

/** Result of a condition that does not hold. */
export function lacks(reason: string): CheckResult {
  return { ok: false, reason };
}

/**
 * Creates a result from problems.
 *
 * @param problems One line each; empty when the condition holds.
 * @param seen Finding when there are none.
 */
export function unless(problems: readonly string[], seen: string): CheckResult {
  if (problems.length === 0) return holds(seen);
  return lacks(formatFirst(mergeProblems(problems), "; "));
}

/** Merges the problems that several nodes have: `a: gone` and `b: gone` become `a, b: gone`. */
function mergeProblems(problems: readonly string[]): readonly string[] {
  const groups = Map.groupBy(
    problems,
    (problem) => /^\S+?(: .*)$/s.exec(problem)?.[1] ?? problem,
  );
  return [...groups].map(([text, [first = "", ...others]]) => {
    if (others.length === 0) return first;
    const names = [first, ...others].map((one) => one.slice(0, -text.length));
    return formatFirst([...new Set(names)]) + text;
  });
}

/** Node of a check. `input`: its field `node` takes precedence. Throws `UsageError` if there is none. */
export function requireNode(
  context: Pick<CheckContext, "node">,
  input: Readonly<Record<string, Json>>,
): string {
  const node = typeof input.node === "string" ? input.node : context.node;
  if (node !== undefined) return node;
  throw new UsageError("The check works on one node, and none is given", {
    hint: "Set with.node, or use the check inside a forEach",
  });
}
