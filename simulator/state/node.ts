/** State of one simulated node, and of the cluster it is part of; knows no network. */

import type { TLSSocket } from "node:tls";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import type { Clock } from "../clock/clock.ts";
import type { Background } from "./background.ts";
import type { EtcdBackend, NodeEtcd } from "./etcd.ts";
import type { ActiveFaults } from "./faults.ts";
import type { FileEntry } from "./file_entry.ts";
import type { KubernetesRequests } from "./kubernetes_objects.ts";
import type { NodeResources } from "../resources/resources.ts";
import { type NodeBoot, startBoot } from "./node_boot.ts";
import type { NodeDisk } from "./node_disk.ts";
import type { NodeIdentity } from "./node_identity.ts";
import type { Release } from "../release/release.ts";
import type { Roles } from "./roles.ts";
import { type Certificate, noTrust, type SimulatedTrust } from "./trust.ts";

/** A cluster as its nodes see it. */
export interface SimulatedCluster {
  readonly name: string;
  /** Identity of the cluster; 32 bytes in base64. */
  readonly id: string;
  /** Versions of the operating system that its nodes are installed with. */
  readonly release: Release;
  /** Version of Kubernetes, without `v`. */
  readonly kubernetes: string;
  /** Keys, certificates and tokens the nodes have in common. */
  readonly secrets: SecretsBundle;
  /** CA of the node API; the one in {@linkcode secrets}. */
  readonly osCa: CertificateAuthority;
  /** Resources that are the same on every node: members. */
  readonly shared: NodeResources;
  /** Resources that describe the types and namespaces of a minor version. */
  readonly descriptions: (minor: number) => NodeResources;
  /** The etcd of its control planes, and whether there was a Kubernetes API on it, with which nodes could register. */
  readonly etcd: { readonly backend: EtcdBackend; servesKubernetes: boolean };
  /** All nodes, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** URL of the API server that kubeconfigs of a control plane name, by the control plane's address; absent until it listens. */
  kubernetesUrl?: (address: string) => string | undefined;
  /** Its Kubernetes, without faults and certificates; absent until there is one. */
  kubernetesApi?: KubernetesRequests;
  /** Called when a node begins to answer a call; absent where nothing listens. */
  onCall?: (
    call: {
      readonly node: SimulatedNode;
      /** Name of the method: `Reboot`. */
      readonly method: string;
      /** False for what only asks. */
      readonly mutating: boolean;
      readonly roles: Roles;
    },
  ) => void;
}

/** The node's connection to the network; the server's part. */
export interface NodeNetwork {
  /** Starts listening; resolves when connections are accepted. */
  readonly up: () => Promise<void>;
  /** Stops listening and breaks every connection. */
  readonly down: () => void;
  /** Breaks every connection and continues listening. */
  readonly disconnect: () => void;
  /** Listens anew, at the node's present address and with present certificates; connections stay. */
  readonly renew: () => Promise<void>;
  /** Keeps every connection, and lets nothing through any more; new ones are accepted as well. */
  readonly freeze: () => Promise<void>;
  /** Serves a connection whose handshake is done. */
  readonly serve: (socket: TLSSocket) => void;
}

/** One node. */
export interface SimulatedNode {
  /** Who it was made as: what hardware and network say when no configuration does. */
  readonly origin: NodeIdentity;
  readonly cluster: SimulatedCluster;
  readonly clock: Clock;
  /** How long its boots and shutdowns take. */
  pace: Pace;
  /** Aborts when the simulation ends. */
  readonly ended: AbortSignal;
  /** Registers a background task; the cluster waits for it when it stops. */
  readonly work: Background["work"];
  /** Waits, inside of such a task, for what may never come. */
  readonly idle: Background["idle"];
  /** Writes to the cluster's store what outlives the process. */
  save: () => Promise<void>;
  /** Size of the messages byte streams are cut into. */
  readonly chunkBytes: number;
  readonly faults: ActiveFaults;
  /** Files of this node beside those all have, by absolute path. */
  readonly files: Map<string, FileEntry<unknown>>;
  /** Its etcd; only control planes start it. */
  readonly etcd: NodeEtcd;
  readonly kubernetes: NodeKubernetes;
  /** How many boots were started, and how many installers succeeded. */
  readonly counts: { boots: number; installs: number };
  /** What is on its disks; outlives every boot. */
  readonly disk: NodeDisk;
  /** True while it is switched off; outlives the process. */
  isOff: boolean;
  /** What is in its memory; every boot replaces it. */
  boot: NodeBoot;
  /** Who it is; a configuration may give it another name, address and kind. */
  identity: NodeIdentity;
  /** Trust in the node API; without an issuer while its certificate is not signed. */
  trust: SimulatedTrust;
  /** What listens for it; a node without one is reached through others only. */
  network: NodeNetwork;
}

interface NodeKubernetes {
  /** CAs its kubelet trusts; of a control plane also who signs for its API server, and whose clients that accepts. */
  trust: SimulatedTrust;
  /** CA that signed the certificate of its kubelet; `undefined` before it has one. */
  kubelet: Certificate | undefined;
  /** When the API server that has restarted serves again, in milliseconds since 1970. */
  servesFrom: number;
  /** Called when the trust has changed. */
  renew: () => void;
}

/** How long the parts of boots and shutdowns take. */
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
  /** A static pod that is configured otherwise, from its stop until it runs again, in milliseconds; 0 is at once. */
  readonly podMs: number;
}

/** Network of a node that is reached through others only. */
const noNetwork: NodeNetwork = {
  up: () => Promise.resolve(),
  down() {},
  disconnect() {},
  renew: () => Promise.resolve(),
  freeze: () => Promise.resolve(),
  serve: (socket) => void socket.destroy(),
};

/** Makes a node that is switched off. */
export function createNode(
  spec: Pick<
    SimulatedNode,
    | "origin"
    | "cluster"
    | "clock"
    | "pace"
    | "ended"
    | "work"
    | "idle"
    | "save"
    | "chunkBytes"
  >,
): SimulatedNode {
  const { origin, cluster } = spec;
  const faults: ActiveFaults = new Map();
  const now = () => spec.clock.now() + clockSkew(faults);
  const clock = { ...spec.clock, now };
  return {
    ...spec,
    clock,
    faults,
    files: new Map(),
    etcd: {
      server: cluster.etcd.backend.serverOf(origin),
      foundCluster: undefined,
      onWait() {},
      instance: undefined,
    },
    kubernetes: {
      trust: noTrust,
      kubelet: undefined,
      servesFrom: 0,
      renew() {},
    },
    counts: { boots: 0, installs: 0 },
    disk: {
      configured: true,
      configuration: undefined,
      bootEntries: undefined,
      bootLoader: "systemd-boot",
      meta: new Map(),
      images: new Map(),
      userDisks: [],
    },
    isOff: false,
    // It was never switched on.
    boot: { ...startBoot(clock, origin.uuid), id: "" },
    identity: origin,
    trust: noTrust,
    network: noNetwork,
  };
}

const hourMs = 3_600_000;

/** How far a node's clock is off, in milliseconds. */
export function clockSkew(faults: ActiveFaults): number {
  const fault = faults.get("clock-skew");
  return fault ? fault.ms ?? hourMs : 0;
}

/** Seconds since the node booted, by its own clock; what its counters grow by. */
export function upSeconds(
  { clock, boot: { startedAt } }: Pick<SimulatedNode, "clock" | "boot">,
): number {
  return (clock.now() - startedAt) / 1000;
}
