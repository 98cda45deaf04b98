/** State of a simulated node and its cluster, without networking. */

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
  /** Cluster ID; 32 bytes in base64. */
  readonly id: string;
  /** Initially installed release of its nodes. */
  readonly release: Release;
  /** Kubernetes version, without `v`. */
  readonly kubernetes: string;
  /** Keys, certificates and tokens shared by the nodes. */
  readonly secrets: SecretsBundle;
  /** CA of the node API; the one in {@linkcode secrets}. */
  readonly osCa: CertificateAuthority;
  /** Resources that are the same on every node: members. */
  readonly shared: NodeResources;
  /** Resources that describe the types and namespaces of a minor version. */
  readonly descriptions: (minor: number) => NodeResources;
  /** etcd of its control planes, and whether a Kubernetes API has been served on it, so that nodes could register. */
  readonly etcd: { readonly backend: EtcdBackend; servesKubernetes: boolean };
  /** All nodes, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** API server URL for kubeconfigs of a control plane, by its address; absent until it listens. */
  kubernetesUrl?: (address: string) => string | undefined;
  /** Its Kubernetes API, bypassing faults and certificates; absent until there is one. */
  kubernetesApi?: KubernetesRequests;
  /** Called when a node starts to serve a call; optional. */
  onCall?: (
    call: {
      readonly node: SimulatedNode;
      /** Name of the method: `Reboot`. */
      readonly method: string;
      /** False for read-only calls. */
      readonly mutating: boolean;
      readonly roles: Roles;
    },
  ) => void;
}

/** The node's network interface to the server. */
export interface NodeNetwork {
  /** Starts listening; resolves when connections are accepted. */
  readonly up: () => Promise<void>;
  /** Stops listening and breaks every connection. */
  readonly down: () => void;
  /** Breaks every connection and continues listening. */
  readonly disconnect: () => void;
  /** Restarts listening with the current address and certificates of the node; open connections stay. */
  readonly renew: () => Promise<void>;
  /** Blocks all traffic without closing connections; new ones are still accepted. */
  readonly freeze: () => Promise<void>;
  /** Serves a connection after its handshake. */
  readonly serve: (socket: TLSSocket) => void;
}

/** A simulated node. */
export interface SimulatedNode {
  /** Initial identity: from hardware and network, without a configuration. */
  readonly origin: NodeIdentity;
  readonly cluster: SimulatedCluster;
  readonly clock: Clock;
  /** Durations of its boots and shutdowns. */
  pace: Pace;
  readonly ended: AbortSignal;
  /** Registers a background task; the cluster waits for it when it stops. */
  readonly work: Background["work"];
  /** Waits within a task for an event that may never happen. */
  readonly idle: Background["idle"];
  /** Saves its persistent state to the cluster's store. */
  save: () => Promise<void>;
  /** Message size of byte streams. */
  readonly chunkBytes: number;
  readonly faults: ActiveFaults;
  /** Additional files of this node, by absolute path. */
  readonly files: Map<string, FileEntry<unknown>>;
  /** Its etcd; only control planes start it. */
  readonly etcd: NodeEtcd;
  readonly kubernetes: NodeKubernetes;
  /** Number of started boots and successful installers. */
  readonly counts: { boots: number; installs: number };
  /** Disk state; survives reboots. */
  readonly disk: NodeDisk;
  /** True while it is powered off; persistent. */
  isOff: boolean;
  /** Memory state; replaced by every boot. */
  boot: NodeBoot;
  /** Current identity; a configuration may set another name, address and type. */
  identity: NodeIdentity;
  /** Trust in the node API; without an issuer while its certificate is not signed. */
  trust: SimulatedTrust;
  /** Its network; a node without one is only reachable through others. */
  network: NodeNetwork;
}

interface NodeKubernetes {
  /** CAs its kubelet trusts; on a control plane also the issuer of the API server certificate and the accepted client CAs. */
  trust: SimulatedTrust;
  /** CA that signed the certificate of its kubelet; `undefined` before it has one. */
  kubelet: Certificate | undefined;
  /** Time at which a restarted API server serves again, in milliseconds since 1970. */
  servesFrom: number;
  /** True if its node object is cordoned, as it last read it. */
  isCordoned: boolean;
  /** Called when the trust has changed. */
  renew: () => void;
}

/** Durations of the parts of boots and shutdowns. */
export interface Pace {
  /** A boot, in milliseconds; 0 boots without a pause. */
  readonly bootMs: number;
  /** An orderly shutdown, in milliseconds. */
  readonly stopMs: number;
  /** Time between two boots, in milliseconds, during which the node is unreachable. */
  readonly downMs: number;
  /** Run of an installer, in milliseconds. */
  readonly installMs: number;
  /** Time between the failure of a sequence and the reboot that follows, in milliseconds. */
  readonly panicMs: number;
  /** Restart of a static pod after a configuration change, in milliseconds; 0 is immediate. */
  readonly podMs: number;
}

/** Network of a node that is only reachable through others. */
const noNetwork: NodeNetwork = {
  up: () => Promise.resolve(),
  down() {},
  disconnect() {},
  renew: () => Promise.resolve(),
  freeze: () => Promise.resolve(),
  serve: (socket) => void socket.destroy(),
};

/** Makes a node that is powered off. */
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
      server: cluster.etcd.backend.openServer(origin),
      foundCluster: undefined,
      onWait() {},
      instance: undefined,
    },
    kubernetes: {
      trust: noTrust,
      kubelet: undefined,
      servesFrom: 0,
      isCordoned: false,
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
      wipes: new Map(),
    },
    isOff: false,
    // It was never powered on.
    boot: { ...startBoot(clock, origin.uuid), id: "" },
    identity: origin,
    trust: noTrust,
    network: noNetwork,
  };
}

const hourMs = 3_600_000;

/** Clock skew of a node, in milliseconds. */
export function clockSkew(faults: ActiveFaults): number {
  const fault = faults.get("clock-skew");
  return fault ? fault.ms ?? hourMs : 0;
}

/** Uptime of a node in seconds, by its own clock; the base of its counters. */
export function upSeconds(
  { clock, boot: { startedAt } }: Pick<SimulatedNode, "clock" | "boot">,
): number {
  return (clock.now() - startedAt) / 1000;
}
