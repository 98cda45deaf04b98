/** State of one simulated node; knows no network. */

import type { TLSSocket } from "node:tls";
import type { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import type { Background } from "../cluster/background.ts";
import type { BootEntries, BootLoader } from "../boot/boot_entries.ts";
import type { Clock } from "../clock/clock.ts";
import type { ClusterFacts } from "../cluster/cluster_facts.ts";
import type { UserDisk } from "../resources/contents/storage.ts";
import type { EtcdHooks } from "./etcd_hooks.ts";
import type { Entry } from "../files/entry.ts";
import { type NodeEtcd, nodeEtcd } from "../etcd/node_etcd.ts";
import { createEvents, type NodeEvents } from "./events.ts";
import type { Images } from "./images.ts";
import type { KernelMessage } from "./kernel_log.ts";
import type { Logs } from "./logs.ts";
import type { ActiveFaults } from "../faults/faults.ts";
import { createResources, type Resources } from "../resources/resources.ts";
import { createSeries, type Series } from "../wire/history_buffer.ts";
import type { SystemService } from "./system_services.ts";
import { type Certificate, noTrust, type Trust } from "./trust.ts";
import type { UnderWay } from "./current_activity.ts";

/** How many messages the kernel log keeps. */
export const keptMessages = 10_000;

/** Kind of machine. */
export type MachineType = "controlplane" | "worker";

/** What never changes about a node. */
export interface NodeIdentity {
  /** Host name: `demo-controlplane-1`. */
  readonly hostname: string;
  /** Address by which endpoints forward to it, without port. */
  readonly address: string;
  /** Kind of machine. */
  readonly machineType: MachineType;
  /** UUID of the hardware. */
  readonly uuid: string;
}

/** The node's connection to the world; the server's part. */
export interface NodeNetwork {
  /** Starts listening; resolves when connections are accepted. */
  readonly up: () => Promise<void>;
  /** Stops listening and breaks every connection. */
  readonly down: () => void;
  /** Breaks every connection and goes on listening. */
  readonly cut: () => void;
  /** Listens anew, where the node is now and with certificates of now; connections go on. */
  readonly renew: () => Promise<void>;
  /** Keeps every connection, and lets nothing through any more; new ones are taken as well. */
  readonly freeze: () => Promise<void>;
  /** Takes over a connection whose handshake is done. */
  readonly carry: (socket: TLSSocket) => void;
}

/** One node. */
export interface SimulatedNode {
  /** Who it was made as: what hardware and network say when no configuration does. */
  readonly origin: NodeIdentity;
  /** Who it is; a configuration may give it another name, address and kind. */
  identity: NodeIdentity;
  /** Cluster it is part of. */
  readonly cluster: ClusterFacts;
  /** Its time. */
  readonly clock: Clock;
  /** Where it stands in its life. */
  stage: Stage;
  /** False while a boot is under way or a condition of readiness is not met. */
  ready: boolean;
  /** Identity of the present boot, a UUID. */
  bootId: string;
  /** When the present boot began, in milliseconds since 1970. */
  bootTime: number;
  /** Aborts when the node's API is about to stop: streams of events end in good order. */
  stopping: AbortController;
  /** Streams and replies that are waited for then. */
  readonly lastWords: Set<unknown>;
  /** Aborts when this boot ends: every open call breaks. */
  running: AbortController;
  /** False when the node has no configuration and offers maintenance only. */
  configured: boolean;
  /** Configuration on its disk, YAML; `undefined` for the one it was made with. */
  configuration: string | undefined;
  /** Configuration it runs with, YAML, while that is another one than on its disk. */
  liveConfiguration: string | undefined;
  /** What its boot loader can start; `undefined` while nothing is installed. */
  boot: BootEntries | undefined;
  /** What starts them. */
  bootLoader: BootLoader;
  /** Values in its META partition by key, 0 to 255. */
  readonly meta: Map<number, Uint8Array>;
  /** How often the pods of this boot were restarted, by their names. */
  readonly restarts: Map<string, number>;
  /** Container images it has. */
  readonly images: Images;
  /** Disks beside the system disk. */
  userDisks: readonly UserDisk[];
  /** What it is doing just now. */
  underWay: UnderWay;
  /** What upgrades and resets need of its etcd; absent where there is none. */
  etcdHooks?: EtcdHooks;
  /** What happened to it since it was made. */
  readonly tally: Tally;
  /** Trust in the node API; without an issuer while nobody signs its certificate. */
  trust: Trust;
  /** Its part in Kubernetes. */
  readonly kubernetes: NodeKubernetes;
  /** Keeps what outlives the process. */
  save: () => Promise<void>;
  /** Faults that are on. */
  readonly faults: ActiveFaults;
  /** True while the node answers on the network. */
  reachable: boolean;
  /** What listens for it; a node without one is reached through others only. */
  network: NodeNetwork;
  /** How long the parts of its life take. */
  readonly pace: Pace;
  /** Aborts when the simulation ends. */
  readonly ended: AbortSignal;
  /** Takes note of something that goes on in the background; the cluster waits for it when it stops. */
  readonly work: Background["work"];
  /** Waits, inside of such a task, for what may never come. */
  readonly idle: Background["idle"];
  /** Its etcd; only control planes start it. */
  readonly etcd: NodeEtcd;
  /** Size of the messages byte streams are cut into. */
  readonly chunkBytes: number;
  /** Files of this node beside those all have, by absolute path. */
  readonly files: Map<string, Entry>;
  /** System services by id. */
  readonly services: Map<string, SystemService>;
  /** Events since the node was made; a boot starts them anew. */
  events: NodeEvents;
  /** Kernel log; a boot starts it anew. */
  kernelLog: Series<KernelMessage>;
  /** Logs of services; a boot starts them anew. */
  readonly logs: Logs;
  /** Logs of containers somebody has read, by the container's name; a boot starts them anew. */
  readonly containerLogs: Logs;
  /** Resources; a boot starts them anew. */
  resources: Resources;
}

/** How often things happened to a node. */
export interface Tally {
  /** Boots that were begun. */
  boots: number;
  /** Installers that ended well. */
  installs: number;
}

/** What a node has to do with Kubernetes. */
export interface NodeKubernetes {
  /** Whom its kubelet trusts; of a control plane also who signs for its API server, and whose clients that accepts. */
  trust: Trust;
  /** Who has signed the certificate of its kubelet; `undefined` before it has one. */
  kubelet: Certificate | undefined;
  /** Told when the trust has changed. */
  renew: () => void;
}

/** How long the parts of a node's life take. */
export interface Pace {
  /** A boot, in milliseconds; 0 boots without a pause. */
  readonly bootMs: number;
  /** An orderly stop of everything, in milliseconds. */
  readonly stopMs: number;
  /** Time between two boots, in milliseconds, while nothing answers. */
  readonly downMs: number;
  /** Run of an installer, in milliseconds. */
  readonly installMs: number;
  /** Time between the failure of a sequence and the reboot that follows, in milliseconds. */
  readonly panicMs: number;
}

/** What {@linkcode createNode} is told. */
export type NodeSpec = Pick<
  SimulatedNode,
  | "origin"
  | "cluster"
  | "clock"
  | "pace"
  | "ended"
  | "work"
  | "idle"
  | "chunkBytes"
>;

/** Network of a node that is reached through others only. */
const noNetwork: NodeNetwork = {
  up: () => Promise.resolve(),
  down() {},
  cut() {},
  renew: () => Promise.resolve(),
  freeze: () => Promise.resolve(),
  carry: (socket) => void socket.destroy(),
};

/** Makes a node that is switched off. */
export function createNode(spec: NodeSpec): SimulatedNode {
  const faults: ActiveFaults = new Map();
  const clock = skewed(spec.clock, faults);
  return {
    ...spec,
    identity: spec.origin,
    etcd: nodeEtcd(spec.cluster.etcd.backend, spec.origin),
    clock,
    faults,
    stage: 0,
    ready: false,
    configured: true,
    configuration: undefined,
    liveConfiguration: undefined,
    boot: undefined,
    bootLoader: "systemd-boot",
    meta: new Map(),
    restarts: new Map(),
    images: new Map(),
    userDisks: [],
    underWay: {},
    tally: { boots: 0, installs: 0 },
    trust: noTrust,
    kubernetes: { trust: noTrust, kubelet: undefined, renew() {} },
    save: () => Promise.resolve(),
    bootId: "",
    bootTime: 0,
    stopping: new AbortController(),
    lastWords: new Set(),
    running: new AbortController(),
    reachable: false,
    network: noNetwork,
    files: new Map(),
    services: new Map(),
    events: createEvents(clock, spec.origin.uuid),
    kernelLog: createSeries(keptMessages),
    logs: new Map(),
    containerLogs: new Map(),
    resources: createResources(clock),
  };
}

const hourMs = 3_600_000;

function skewed(clock: Clock, faults: ActiveFaults): Clock {
  return { ...clock, now: () => clock.now() + skewOf(faults) };
}

/** How far a node's clock is off, in milliseconds. */
export function skewOf(faults: ActiveFaults): number {
  const fault = faults.get("clock-skew");
  return fault ? fault.ms ?? hourMs : 0;
}
