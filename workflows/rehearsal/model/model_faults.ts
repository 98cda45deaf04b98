import { ConfigError } from "../../../errors.ts";
import type { ModelCluster, ModelFault } from "./model_cluster.ts";
import type { RehearsalFault, Where } from "../faults/fault.ts";
import { matchesNode } from "../faults/matches.ts";

interface ClusterNodes {
  readonly all: readonly string[];
  /** Names of its control planes. */
  readonly controlPlanes: readonly string[];
}

/**
 * Converts a fault into faults of a model cluster; empty for faults of the process.
 *
 * @throws {ConfigError} If its node does not exist.
 */
export function modelFaults(
  fault: RehearsalFault,
  nodes: ClusterNodes,
): readonly ModelFault[] {
  const { where } = fault;
  switch (where.kind) {
    case "runner":
    case "disk":
    case "clock":
      return [];
    case "registry":
      return [{
        what: fault.what === "down" ? "registry-down" : "registry-not-found",
      }];
    case "k8s":
      // The grammar allows no other.
      return [
        fault.what === "down" ? { what: "kubernetes-down" } : {
          what: fault.what as
            | "pdb-blocks"
            | "lease-lost"
            | "webhook-refuses",
        },
      ];
    case "rpc":
      return ofCalls(fault, where, nodes);
    case "node":
      if (fault.what === "joins") {
        // The grammar allows no other.
        return [{ what: "joins", role: where.glob as "worker" }];
      }
      return named(fault, where.glob, nodes.all)
        .map((node) => ofNode(fault, node));
    case "etcd":
      return named(fault, where.glob, nodes.controlPlanes)
        .map((node) => ofNode(fault, node));
  }
}

function named(
  { text }: RehearsalFault,
  glob: string,
  names: readonly string[],
): readonly string[] {
  const found = names.filter((name) => matchesNode(glob, name));
  if (found.length > 0) return found;
  throw new ConfigError(
    `Cannot use fault "${text}": there is no node "${glob}"`,
    {
      hint: `Nodes: ${names.join(", ")}`,
    },
  );
}

function ofCalls(
  fault: RehearsalFault,
  { method, node }: Extract<Where, { readonly kind: "rpc" }>,
  nodes: ClusterNodes,
): readonly ModelFault[] {
  const calls = method === "*" ? {} : { method };
  if (node === undefined) return [spoiled(fault, calls)];
  return named(fault, node, nodes.all)
    .map((name) => spoiled(fault, { ...calls, node: name }));
}

function spoiled(
  { what, ms = 0, code = "UNAVAILABLE", times }: RehearsalFault,
  calls: { readonly method?: string; readonly node?: string },
): ModelFault {
  const meant = { ...calls, ...(times === undefined ? {} : { times }) };
  switch (what) {
    case "slow":
      return { what, ms, ...meant };
    case "error":
      return { what, code, ...meant };
    default:
      // The grammar allows no other.
      return { what: what as "drop-after-send", ...meant };
  }
}

function ofNode(fault: RehearsalFault, node: string): ModelFault {
  const { what, ms = 0, alarm = "NOSPACE" } = fault;
  switch (what) {
    case "slow":
    case "error":
    case "drop-before-send":
    case "drop-after-send":
      return spoiled(fault, { node });
    case "skew":
    case "kubelet-late":
      return { what, node, ms };
    case "alarm":
      return { what, node, kind: alarm };
    default:
      // The grammar allows no other.
      return { what: what as "down", node };
  }
}

/** Injects a fault into a model cluster. Returns a function that removes it. */
export async function injectIntoModel(
  cluster: Pick<ModelCluster, "inject" | "observe">,
  fault: RehearsalFault,
): Promise<() => Promise<void>> {
  const lifts: (() => Promise<void>)[] = [];
  for (const one of modelFaults(fault, nodesIn(cluster))) {
    // In the order of the nodes.
    lifts.push(await cluster.inject(one));
  }
  return async () => {
    for (const lift of lifts) await lift();
  };
}

/** Current nodes of a model cluster. */
export function nodesIn(
  { observe }: Pick<ModelCluster, "observe">,
): ClusterNodes {
  const parts = observe().nodes.filter(({ isPart }) => isPart);
  return {
    all: parts.map(({ name }) => name),
    controlPlanes: parts.flatMap(({ name, role }) =>
      role === "controlplane" ? [name] : []
    ),
  };
}
