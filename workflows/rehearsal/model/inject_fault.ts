import { bootNode } from "../../../simulator/boot/boot.ts";
import type {
  FaultName,
  FaultOptions,
} from "../../../simulator/state/faults.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import type { CallFaults, ModelCallFault } from "./call_faults.ts";
import type { ModelFault } from "./model_fault.ts";

interface FaultInjection {
  readonly nodes: () => readonly SimulatedNode[];
  /** Finds a node. Throws `RangeError` if there is none. */
  readonly nodeOf: (name: string) => SimulatedNode;
  readonly calls: CallFaults;
  readonly join: (role: "controlplane" | "worker") => Promise<void>;
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
  injected: FaultInjection,
  fault: ModelFault,
): Promise<EndFault> {
  if (isOfCalls(fault)) {
    const off = injected.calls.add(fault);
    return () => Promise.resolve(off());
  }
  if (fault.what === "joins") {
    await injected.join(fault.role);
    return nothing;
  }
  if (fault.what === "leaves") {
    await injected.leave(injected.nodeOf(fault.node));
    return nothing;
  }
  const name = findName(fault);
  const nodes = findNodes(injected, fault);
  const options: FaultOptions = "ms" in fault
    ? { ms: fault.ms }
    : fault.what === "data-lost"
    ? { calls: 1 }
    : {};
  for (const node of nodes) await setFault(node, name, options);
  return async () => {
    for (const node of nodes) {
      await setFault(node, name, false);
      const isOff = node.boot.power.signal.aborted && !node.ended.aborted;
      if (fault.what === "never-returns" && isOff) node.work(bootNode(node));
    }
  };
}

function isOfCalls(fault: ModelFault): fault is ModelCallFault {
  return ["slow", "error", "drop-before-send", "drop-after-send"].includes(
    fault.what,
  );
}

type NodeFault = Exclude<
  ModelFault,
  ModelCallFault | { readonly what: "joins" | "leaves" }
>;

function findName(fault: NodeFault): FaultName {
  if (fault.what !== "alarm") return names[fault.what];
  return fault.kind === "CORRUPT" ? "etcd-corrupt" : "etcd-nospace";
}

const names: Readonly<Record<Exclude<NodeFault["what"], "alarm">, FaultName>> =
  {
    "never-returns": "never-returns",
    "returns-old-version": "rolled-back",
    "kubelet-down": "kubelet-silent",
    "kubelet-late": "kubelet-late",
    "static-pod-fails": "static-pod-fails",
    "webhook-refuses": "webhook-refuses",
    down: "unavailable",
    unhealthy: "etcd-stopped",
    learner: "etcd-learner",
    "leader-moves": "etcd-leads",
    "data-lost": "etcd-data-lost",
    skew: "clock-skew",
    "registry-down": "registry-down",
    "registry-not-found": "image-missing",
    "kubernetes-down": "kubernetes-unavailable",
    "pdb-blocks": "pdb-blocks",
    "lease-lost": "lease-lost",
  };

/** Nodes affected by a fault; a fault without a node affects all, and one of them once. */
function findNodes(
  { nodes, nodeOf }: FaultInjection,
  fault: NodeFault,
): readonly SimulatedNode[] {
  if ("node" in fault && fault.node !== undefined) return [nodeOf(fault.node)];
  return fault.what === "lease-lost" ? nodes().slice(0, 1) : nodes();
}

const nothing: EndFault = () => Promise.resolve();
