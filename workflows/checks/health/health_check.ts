/** One condition of a healthy cluster, and what it looks at. */

import type { Kubernetes } from "../../kubernetes/client.ts";
import type { CheckSite } from "../check.ts";
import type { HealthNodes } from "./health_nodes.ts";

/** What conditions of a healthy cluster look at. */
export interface HealthSite extends Pick<CheckSite, "cluster" | "signal"> {
  /** Nodes there have to be. */
  readonly nodes: HealthNodes;
  /** Kubernetes of the cluster. */
  readonly kubernetes: () => Promise<Kubernetes>;
  /** Node that has left, by name or address: what Kubernetes still knows of it does not count. */
  readonly gone?: string;
}

/** What was found. */
export type HealthFinding =
  | {
    /** It holds. */
    readonly state: "ok";
  }
  | {
    /** It makes no sense here. */
    readonly state: "skipped";
    /** Why, one line. */
    readonly reason: string;
  }
  | {
    /** Not yet. */
    readonly state: "waiting";
    /** Why, one line. */
    readonly reason: string;
  }
  | {
    /** Waiting would not help. */
    readonly state: "failed";
    /** Why, one line. */
    readonly reason: string;
  };

/** One condition. */
export interface HealthCheck {
  /** What is waited for: `etcd to be healthy`. */
  readonly name: string;
  /** Longest wait for it alone, in milliseconds. */
  readonly limitMs: number;
  /**
   * Looks once.
   *
   * @throws {OsctlError} When it cannot look, which counts as not yet.
   */
  readonly look: (site: HealthSite) => Promise<HealthFinding>;
}

/** It holds. */
export const healthy: HealthFinding = { state: "ok" };

/** Problems shown; of the others only their number is told. */
const spelt = 3;

/**
 * Makes a finding of what is wrong.
 *
 * @param problems One line each; none when it holds.
 */
export function waitingFor(problems: readonly string[]): HealthFinding {
  if (problems.length === 0) return healthy;
  const more = problems.length - spelt;
  const reason = problems.slice(0, spelt).join("; ");
  return {
    state: "waiting",
    reason: more > 0 ? `${reason}; and ${more} more` : reason,
  };
}
