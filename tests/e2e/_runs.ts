/** Runs of runbooks as processes of their own, on a cluster in this one. */

import { type RunHome, withRunHome } from "../commands/runbook/_home.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";

export {
  type Ended,
  type RunProcess,
  startIn,
  type StartOptions,
} from "../../tools/robustness/osctl_process.ts";

/** Restarts every worker, which takes each a second or more, and closes and opens it around that. */
export const restarts = `apiVersion: osctl/v1
kind: Runbook
name: restarts
title: Restart workers
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: restart, run: node.reboot, timeout: 1m }
      - { id: ready, gate: node.ready, within: 1m }
    always:
      - { id: uncordon, run: node.uncordon }
`;

/** A cluster whose nodes are unavailable for a while when they restart. */
export const slow: ClusterOptions = {
  workers: 2,
  pace: { bootMs: 300, stopMs: 300, downMs: 600 },
};

/**
 * Runs a test with a cluster and a home.
 *
 * @param test What to do.
 * @param options The cluster; default {@linkcode slow}.
 */
export function withSlowHome(
  test: (home: RunHome) => Promise<void>,
  options: ClusterOptions = slow,
): Promise<void> {
  return withRunHome(test, options);
}
