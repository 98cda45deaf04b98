/** What simulated nodes and their etcd record: the judge knows nothing else of them. */

import { Code } from "../../transport/gen/common.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  type SequenceEvent,
  SequenceEvent_Action as Action,
} from "../../transport/gen/machine_events.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { readFields } from "../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";

/** Something that happened to a node, in the order in which it happened. */
export interface NodeEvent {
  /** Host name of the node; empty for what concerns etcd as a whole. */
  readonly node: string;
  /** What it was; `attack` and `foreign` are announced by the attack itself. */
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

/** A node as it is at one moment. */
export interface NodeState {
  readonly name: string;
  readonly address: string;
  readonly boots: number;
  /** Boots in which it was wiped. */
  readonly wipes: number;
  /** True while it is switched off. */
  readonly off: boolean;
  readonly version: string;
  /** True for a member of etcd. */
  readonly member: boolean;
  /** True while Kubernetes places no pods on it. */
  readonly cordoned: boolean;
  /** CAs whose clients it accepts, in both interfaces. */
  readonly trusts: readonly string[];
  /** True when its configuration has {@linkcode mark}. */
  readonly marked: boolean;
}

/** In the configurations that the attacks roll out. */
export const mark = "robustness-mark";

/** What one request may do to each of its nodes at most. */
export interface Limits {
  readonly boots?: number;
  readonly installs?: number;
  /** Boots in which something of the node is wiped. */
  readonly wipes?: number;
  readonly sequences?: number;
}

/** What is true of a node for which a request is done; what is omitted does not matter. */
export interface Goal {
  readonly booted?: true;
  /** It was wiped since. */
  readonly wiped?: true;
  readonly off?: true;
  readonly version?: string;
  readonly member?: boolean;
  readonly marked?: true;
  /** It cannot be done. */
  readonly impossible?: true;
  /** It no longer accepts the CAs from before. */
  readonly rotated?: true;
}

/** What an operator wants once, in however many processes. */
export interface Wish {
  readonly line: string;
  readonly nodes: readonly string[];
  readonly limits: Limits;
  readonly goal: Goal;
}

/** A process of osctl that has ended. */
export interface ProcessEnd {
  /** Which wish it was for, by its place in the list; -1 for one that only looks. */
  readonly wish: number;
  readonly line: string;
  /** Exit status; -1 when it was killed. */
  readonly status: number;
  /** True when it had to be killed because it did not end. */
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
  /** The nodes when everything had settled. */
  readonly after: readonly NodeState[];
  /** True when the attack leaves every wish a way to its end. */
  readonly mustFinish: boolean;
  /** True when the attack loses replies, so that what a node does may stay in doubt. */
  readonly mayDoubt: boolean;
  readonly texts: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
}

/** Records what happens to the nodes of a cluster. */
export interface Recorder extends Disposable {
  readonly events: NodeEvent[];
  readonly states: () => Promise<readonly NodeState[]>;
}

/** How often etcd is looked at, in milliseconds; nodes are away for much longer. */
const lookMs = 15;

/** Starts to record. */
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
    const members = await membersOf(nodes);
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
      const members = await membersOf(nodes) ?? [];
      return nodes.map((node) => ({
        ...stateOf(node),
        wipes: wipesIn(events, node.origin.hostname),
        member: members.some(({ name }) => name === node.identity.hostname),
        cordoned: isCordoned(node, kubernetes),
      }));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Hears of boots, installations, wipes and sequences of a node. */
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

/** Calls back with every new value of a property. */
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

/** Boots in which a node was wiped: leaving etcd and wiping the disk are one. */
export function wipesIn(events: readonly NodeEvent[], name: string): number {
  const boots = events.flatMap(({ node, what, detail }) =>
    node === name && what === "wipe" ? [detail] : []
  );
  return new Set(boots).size;
}

function isRunning({ etcd: { server } }: SimulatedNode): boolean {
  return server.isRunning();
}

/** Members, if there is a leader to ask; `undefined` without a quorum. */
async function membersOf(nodes: readonly SimulatedNode[]) {
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

function stateOf(
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
    // The end is the signature.
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
