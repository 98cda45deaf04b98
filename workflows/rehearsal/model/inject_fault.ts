/** Faults injected into a model cluster. */

import { ConfigError, type RpcCode } from "../../../errors.ts";
import { bootNode } from "../../../simulator/boot/boot.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  type CallFaults,
  isCallFault,
} from "../../../simulator/in_process/call_faults.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import type { MachineType } from "../../../simulator/state/node_identity.ts";
import type { ClusterFaultKind, RehearsalFault } from "../faults/fault.ts";
import { matchesNode } from "../faults/matches.ts";
import type { ModelCluster } from "./model_cluster.ts";

/** A fault of a cluster; those that do not apply to its kind are ignored. */
export interface ModelFault {
  readonly what: ClusterFaultKind;
  /** Name or address of the node; default all nodes. */
  readonly node?: string;
  /** Role of a node that joins. */
  readonly role?: MachineType;
  /** Duration or offset, in milliseconds. */
  readonly ms?: number;
  /** Status of `call-fails`. */
  readonly code?: RpcCode;
  /** Name of the method of affected calls: `Upgrade`; default any. */
  readonly method?: string;
  /** Number of calls after which a fault of calls ends; default never. */
  readonly times?: number;
}

interface FaultInjection {
  readonly nodes: () => readonly SimulatedNode[];
  /** Finds a node. Throws `RangeError` if there is none. */
  readonly findNode: (name: string) => SimulatedNode;
  readonly calls: CallFaults;
  readonly join: (role: MachineType) => Promise<void>;
  readonly leave: (node: SimulatedNode) => Promise<void>;
}

/** Removes a fault. */
export type EndFault = () => Promise<void>;

/**
 * Injects a fault.
 *
 * @returns Once it has taken effect: a function that removes it.
 * @throws {RangeError} If there is no such node.
 * @throws {RpcError} If etcd refuses a request that the fault needs.
 */
export async function inject(
  { nodes, findNode, calls, join, leave }: FaultInjection,
  fault: ModelFault,
): Promise<EndFault> {
  const { what, role = "worker", ms } = fault;
  if (what === "joins") {
    await join(role);
    return nothing;
  }
  if (isCallFault(what)) {
    const off = calls.add({ ...fault, what });
    return () => Promise.resolve(off());
  }
  const some = fault.node === undefined ? nodes() : [findNode(fault.node)];
  if (what === "leaves") {
    for (const node of some) await leave(node);
    return nothing;
  }
  const options = {
    ms,
    ...(what === "etcd-data-lost" ? { calls: 1 } : {}),
  };
  // Leases belong to the cluster: one node takes them all.
  const affected = what === "lease-lost" ? some.slice(0, 1) : some;
  for (const node of affected) await setFault(node, what, options);
  return async () => {
    for (const node of affected) {
      await setFault(node, what, false);
      const isOff = node.boot.power.signal.aborted && !node.ended.aborted;
      if (what === "never-returns" && isOff) node.work(bootNode(node));
    }
  };
}

const nothing: EndFault = () => Promise.resolve();

/** Injects a fault of a rehearsal. Returns a function that removes it. Throws `ConfigError` if its node does not exist. */
export async function injectIntoModel(
  cluster: Pick<ModelCluster, "inject" | "observe">,
  fault: RehearsalFault,
): Promise<EndFault> {
  const lifts: EndFault[] = [];
  for (const one of findFaults(cluster, fault)) {
    // In the order of the nodes.
    lifts.push(await cluster.inject(one));
  }
  return async () => {
    for (const lift of lifts) await lift();
  };
}

function findFaults(
  cluster: Pick<ModelCluster, "observe">,
  { text, where, ...given }: RehearsalFault,
): readonly ModelFault[] {
  // The grammar allows the others only for the process and its disk.
  const fault = { ...given, what: given.what as ClusterFaultKind };
  switch (where.kind) {
    case "runner":
    case "disk":
    case "clock":
      return [];
    case "k8s":
    case "registry":
      return [fault];
    case "rpc": {
      const { method, node } = where;
      const some = method === "*" ? fault : { ...fault, method };
      return node === undefined
        ? [some]
        : findNames(cluster, text, where.kind, node)
          .map((name) => ({ ...some, node: name }));
    }
    case "node":
    case "etcd":
      return fault.what === "joins"
        // The grammar allows no other.
        ? [{ ...fault, role: where.glob as MachineType }]
        : findNames(cluster, text, where.kind, where.glob)
          .map((node) => ({ ...fault, node }));
  }
}

function findNames(
  { observe }: Pick<ModelCluster, "observe">,
  text: string,
  kind: "node" | "etcd" | "rpc",
  glob: string,
): readonly string[] {
  const names = observe().nodes.flatMap(({ isPart, name, role }) =>
    isPart && (kind !== "etcd" || role === "controlplane") ? [name] : []
  );
  const found = names.filter((name) => matchesNode(glob, name));
  if (found.length > 0) return found;
  throw new ConfigError(
    `Cannot use fault "${text}": there is no node "${glob}"`,
    { hint: `Nodes: ${names.join(", ")}` },
  );
}
