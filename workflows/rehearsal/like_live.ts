/** Simulated clusters that are like a real one: as many nodes, their versions, and what starts them. */

import { OsctlError } from "../../errors.ts";
import type { ModelClusterOptions } from "./model/model_cluster.ts";
import type { ModelClusterSpec } from "./cluster_shape.ts";
import type { NodeFacts } from "../runbooks/facts.ts";

/** A simulated cluster that is like a real one. */
export interface LikeLive {
  /** What it consists of. */
  readonly spec: ModelClusterSpec;
  /** Nodes that are not like the others. */
  readonly different: NonNullable<ModelClusterOptions["different"]>;
}

/**
 * Makes a simulated cluster of what was read of a real one; nodes that do not tell are like the others.
 *
 * @throws {OsctlError} If no control plane tells its version.
 */
export function likeLive(nodes: readonly NodeFacts[]): LikeLive {
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane");
  const workers = nodes.filter(({ role }) => role === "worker");
  const version = mostCommon(nodes.map((node) => node.version));
  if (version === undefined || controlPlanes.length === 0) {
    throw new OsctlError(
      "Cannot simulate the cluster: no node reports enough",
      {
        hint: "Give its size instead: --cluster sim:3cp+5w,v1.13.4",
      },
    );
  }
  const named = [
    ...controlPlanes.map((node, at) =>
      [`demo-controlplane-${at + 1}`, node] as const
    ),
    ...workers.map((node, at) => [`demo-worker-${at + 1}`, node] as const),
  ];
  const isGrub = (node: NodeFacts) => node.bootloader.includes("grub");
  return {
    spec: {
      controlPlanes: controlPlanes.length,
      workers: workers.length,
      version,
      grub: false,
    },
    different: Object.fromEntries(
      named.flatMap(([name, node]) => {
        const other = {
          ...(node.version === "" || node.version === version
            ? {}
            : { version: node.version }),
          ...(isGrub(node) ? { bootLoader: "grub" as const } : {}),
        };
        return Object.keys(other).length === 0 ? [] : [[name, other]];
      }),
    ),
  };
}

function mostCommon(versions: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const version of versions) {
    if (version !== "") counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return first?.[0];
}
