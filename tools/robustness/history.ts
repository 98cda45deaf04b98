/** Records simulated nodes and their etcd; the judge's only input. */

import { Code } from "../../transport/gen/common.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  type SequenceEvent,
  SequenceEvent_Action as Action,
} from "../../transport/gen/machine_events.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { readFields } from "../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";

/** An event of a node, in order. */
export interface NodeEvent {
  /** Host name of the node; empty for etcd as a whole. */
  readonly node: string;
  /** Kind; `attack` and `foreign` are announced by the attack itself. */
  readonly what:
    | "boot"
    | "install"
    | "wipe"
    | "began"
    | "refused"
    | "etcd-stopped"
    | "etcd-started"
    | "quorum"
    | "no-quorum"
    /** An attack stops this etcd member. */
    | "attack"
    /** An attack boots this node. */
    | "foreign-boot";
  /** Boot, sequence or number of voters. */
  readonly detail: string;
}

/** State of a node at one moment. */
export interface NodeState {
  readonly name: string;
  readonly address: string;
  readonly boots: number;
  /** Boots with a wipe. */
  readonly wipes: number;
  /** True while it is off. */
  readonly off: boolean;
  readonly version: string;
  /** True for an etcd member. */
  readonly member: boolean;
  /** True while it is cordoned in Kubernetes. */
  readonly cordoned: boolean;
  /** CAs accepted for clients, in both interfaces. */
  readonly trusts: readonly string[];
  /** True when its configuration has {@linkcode mark}. */
  readonly marked: boolean;
}

/** Marker in the configurations of attacks. */
export const mark = "robustness-mark";

/** Maximum effects of one request on each node. */
export interface Limits {
  readonly boots?: number;
  readonly installs?: number;
  /** Boots with a partial or full wipe. */
  readonly wipes?: number;
  readonly sequences?: number;
}

/** Goal of a request for a node; omitted fields do not matter. */
export interface Goal {
  readonly booted?: true;
  /** It was wiped since. */
  readonly wiped?: true;
  readonly off?: true;
  readonly version?: string;
  readonly member?: boolean;
  readonly marked?: true;
  /** It is impossible. */
  readonly impossible?: true;
  /** It no longer accepts the previous CAs. */
  readonly rotated?: true;
}

/** A request of an operator, possibly over several processes. */
export interface Wish {
  readonly line: string;
  readonly nodes: readonly string[];
  readonly limits: Limits;
  readonly goal: Goal;
}

/** A finished process of osctl. */
export interface ProcessEnd {
  /** Index of its request; -1 for a read-only one. */
  readonly wish: number;
  readonly line: string;
  /** Exit status; -1 when it was killed. */
  readonly status: number;
  /** True when it hung and was killed. */
  readonly hung: boolean;
  readonly out: string;
  readonly err: string;
  /** The nodes at that moment. */
  readonly states: readonly NodeState[];
}

/** A whole trial. */
export interface History {
  readonly wishes: readonly Wish[];
  /** The nodes before. */
  readonly before: readonly NodeState[];
  readonly events: readonly NodeEvent[];
  readonly processes: readonly ProcessEnd[];
  /** The nodes at the end. */
  readonly after: readonly NodeState[];
  /** True when the attack allows every request to finish. */
  readonly mustFinish: boolean;
  /** True when the attack loses replies, so that outcomes may be in doubt. */
  readonly mayDoubt: boolean;
  readonly texts: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
}

/** Records what happens to the nodes of a cluster. */
export interface Recorder extends Disposable {
  readonly events: NodeEvent[];
  readonly states: () => Promise<readonly NodeState[]>;
}

/** Polling interval of etcd, in milliseconds; outages are much longer. */
const lookMs = 15;

/** Starts recording. */
export function recordHistory({ nodes, kubernetes }: RunningCluster): Recorder {
  const events: NodeEvent[] = [];
  const tell = (
    node: SimulatedNode | undefined,
    what: NodeEvent["what"],
    detail = "",
  ) => void events.push({ node: node?.origin.hostname ?? "", what, detail });
  for (const node of nodes) watchNode(node, tell);
  const running = new Map(nodes.map((node) => [node, isRunning(node)]));
  let hadQuorum: boolean | undefined;
  const look = async () => {
    for (const node of nodes) {
      const is = isRunning(node);
      if (is === running.get(node)) continue;
      running.set(node, is);
      tell(node, is ? "etcd-started" : "etcd-stopped");
    }
    const members = await readMembers(nodes);
    const has = members !== undefined;
    if (has === hadQuorum) return;
    hadQuorum = has;
    const voters = members?.filter(({ isLearner }) => !isLearner).length ?? 0;
    tell(undefined, has ? "quorum" : "no-quorum", `${voters}`);
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookMs);
  return {
    events,
    async states() {
      await look();
      const members = await readMembers(nodes) ?? [];
      return nodes.map((node) => ({
        ...readState(node),
        wipes: wipesIn(events, node.origin.hostname),
        member: members.some(({ name }) => name === node.identity.hostname),
        cordoned: isCordoned(node, kubernetes),
      }));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Records boots, installations, wipes and sequences of a node. */
function watchNode(
  node: SimulatedNode,
  tell: (
    node: SimulatedNode,
    what: NodeEvent["what"],
    detail?: string,
  ) => void,
): void {
  const watchBoot = ({ events }: SimulatedNode["boot"]) => {
    const { publish } = events;
    Object.assign(events, {
      publish(...event: Parameters<typeof publish>) {
        const [type, content] = event;
        if (type === "SequenceEvent") {
          tellSequence(content as Partial<SequenceEvent>);
        }
        publish(...event);
      },
    });
  };
  const tellSequence = (
    { sequence = "", action, error }: Partial<SequenceEvent>,
  ) => {
    if (action === Action.START) tell(node, "began", sequence);
    if (error?.code === Code.LOCKED) tell(node, "refused", sequence);
  };
  watchBoot(node.boot);
  onChange(node, "boot", (boot) => {
    tell(node, "boot", boot.id);
    watchBoot(boot);
  });
  onChange(node.counts, "installs", () => tell(node, "install"));
  onChange(node.disk, "configured", (is) => {
    // A node may also boot without its configuration.
    const isReset = node.boot.sequence?.name === "reset";
    if (!is && isReset) tell(node, "wipe", node.boot.id);
  });
  const { server } = node.etcd;
  const { wipe } = server;
  Object.assign(server, {
    wipe() {
      tell(node, "wipe", node.boot.id);
      return wipe();
    },
  });
}

/** Calls back on every change of a property. */
function onChange<T extends object, K extends keyof T>(
  object: T,
  key: K,
  tell: (value: T[K]) => void,
): void {
  let present = object[key];
  Object.defineProperty(object, key, {
    get: () => present,
    set(value: T[K]) {
      const isOther = value !== present;
      present = value;
      if (isOther) tell(value);
    },
  });
}

/** Boots with a wipe: leaving etcd and wiping the disk count once. */
export function wipesIn(events: readonly NodeEvent[], name: string): number {
  const boots = events.flatMap(({ node, what, detail }) =>
    node === name && what === "wipe" ? [detail] : []
  );
  return new Set(boots).size;
}

function isRunning({ etcd: { server } }: SimulatedNode): boolean {
  return server.isRunning();
}

/** Members, from the leader; `undefined` without a quorum. */
async function readMembers(nodes: readonly SimulatedNode[]) {
  for (const { etcd: { server } } of nodes) {
    if (!server.isRunning()) continue;
    try {
      return await server.client.members();
    } catch {
      // Another one may see a leader.
    }
  }
  return undefined;
}

function readState(
  { origin, boot, counts, disk, isOff, trust, kubernetes }: SimulatedNode,
) {
  const text = boot.liveConfiguration ?? disk.configuration ?? "";
  const accepted = [...trust.accepted, ...kubernetes.trust.accepted];
  const { UNKNOWN } = Stage;
  return {
    name: origin.hostname,
    address: origin.address,
    boots: counts.boots,
    off: isOff || boot.stage === UNKNOWN && !boot.reachable,
    version: disk.bootEntries?.running.tag ?? "",
    // The signature is at the end.
    trusts: accepted.map((one) => new Uint8Array(one).slice(-20).toHex()),
    marked: text.includes(mark),
  };
}

function isCordoned(
  { origin: { hostname } }: SimulatedNode,
  { request }: RunningCluster["kubernetes"],
): boolean {
  const path = `/api/v1/nodes/${hostname}`;
  const { body } = request({ method: "GET", path });
  return readFields(readFields(body).spec).unschedulable === true;
}
