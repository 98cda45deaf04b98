/** Simulated clusters modeled on real ones. */

import { OsctlError } from "../../errors.ts";
import { mostCommon } from "../../lib/most_common.ts";
import type { NodeFacts } from "../runbook_cel/facts.ts";
import { listModelNodes, type ModelClusterSpec } from "./cluster_shape.ts";
import type { ModelClusterOptions } from "./model/model_options.ts";

/** A simulated cluster modeled on a real one. */
export interface LikeLive {
  readonly spec: ModelClusterSpec;
  /** Nodes that differ from the rest. */
  readonly different: NonNullable<ModelClusterOptions["different"]>;
}

/**
 * Models a simulated cluster on the facts of a real one; unreachable nodes are like the others.
 *
 * @throws {OsctlError} If no control plane reports its version.
 */
export function likeLive(nodes: readonly NodeFacts[]): LikeLive {
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane");
  const workers = nodes.filter(({ role }) => role === "worker");
  const version = mostCommon(
    nodes.flatMap(({ version }) => version || []),
  );
  if (version === undefined || controlPlanes.length === 0) {
    throw new OsctlError(
      "Cannot simulate the cluster: no node reports enough",
      {
        hint: "Give its size instead: --cluster sim:3cp+5w,v1.13.4",
      },
    );
  }
  const spec = {
    controlPlanes: controlPlanes.length,
    workers: workers.length,
    version,
    grub: false,
  };
  const modeled = listModelNodes(spec);
  const different = [...controlPlanes, ...workers].flatMap((node, at) => {
    const other = {
      ...(node.version === "" || node.version === version
        ? {}
        : { version: node.version }),
      ...(node.bootloader.includes("grub")
        ? { bootLoader: "grub" as const }
        : {}),
    };
    const isLike = Object.keys(other).length === 0;
    return isLike ? [] : [[modeled[at]?.name ?? "", other] as const];
  });
  return { spec, different: Object.fromEntries(different) };
}
