/** State of one simulated node; knows no network. */

import type { MachineStatusEvent_MachineStage as Stage } from "../transport/gen/machine_events.ts";
import type { Clock } from "./clock.ts";
import type { ClusterFacts } from "./cluster_facts.ts";
import { createEvents, type NodeEvents } from "./events.ts";
import type { KernelMessage } from "./kernel_log.ts";
import { createResources, type Resources } from "./resources.ts";
import { createSeries, type Series } from "./series.ts";
import type { SystemService } from "./system_services.ts";

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
}

/** One node. */
export interface SimulatedNode {
  /** Who it is. */
  readonly identity: NodeIdentity;
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
  /** Aborts when this boot ends: every open call breaks. */
  running: AbortController;
  /** True while the node answers on the network. */
  reachable: boolean;
  /** What listens for it; a node without one is reached through others only. */
  network: NodeNetwork;
  /** System services by id. */
  readonly services: Map<string, SystemService>;
  /** Events since the node was made; a boot starts them anew. */
  events: NodeEvents;
  /** Kernel log; a boot starts it anew. */
  kernelLog: Series<KernelMessage>;
  /** Resources; a boot starts them anew. */
  resources: Resources;
}

/** What {@linkcode createNode} is told. */
export interface NodeSpec {
  /** Who it is. */
  readonly identity: NodeIdentity;
  /** Cluster it is part of. */
  readonly cluster: ClusterFacts;
  /** Its time. */
  readonly clock: Clock;
}

/** Makes a node that is switched off. */
export function createNode(
  { identity, cluster, clock }: NodeSpec,
): SimulatedNode {
  return {
    identity,
    cluster,
    clock,
    stage: 0,
    ready: false,
    bootId: "",
    bootTime: 0,
    stopping: new AbortController(),
    running: new AbortController(),
    reachable: false,
    network: { up: () => Promise.resolve(), down() {} },
    services: new Map(),
    events: createEvents(clock, identity.uuid),
    kernelLog: createSeries(keptMessages),
    resources: createResources(clock),
  };
}
