/** Memory state of a simulated node, reset by every boot. */

import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import type { SequenceName } from "../release/sequences.ts";
import type { Clock } from "../clock/clock.ts";
import { createResources, type NodeResources } from "../resources/resources.ts";
import { createHistory, type HistoryBuffer } from "../wire/history_buffer.ts";
import { createEvents, type NodeEvents } from "./events.ts";

/** A boot; replaced by the next one. */
export interface NodeBoot {
  readonly id: string;
  /** Start time in milliseconds since 1970. */
  readonly startedAt: number;
  /** Aborts on power loss: every open call breaks. */
  readonly power: AbortController;
  /** Aborts when the node's API is about to stop: event streams end cleanly. */
  readonly shutdown: AbortController;
  /** Streams and replies that a shutdown waits for. */
  readonly openReplies: Set<unknown>;
  /** Machine stage reported by the node. */
  stage: Stage;
  /** False while the node boots or a readiness condition is unmet. */
  ready: boolean;
  reachable: boolean;
  /** Running configuration, YAML, if it differs from the one on disk. */
  liveConfiguration: string | undefined;
  /** Running sequence; at most one. */
  sequence: RunningSequence | undefined;
  /** Command line of the running installer; at most one. */
  installer: string | undefined;
  /** True while a configuration is being applied. */
  configuring: boolean;
  /** True once a configuration was accepted that takes effect after a reboot. */
  awaitingReboot: boolean;
  /** Cancels the automatic revert of a configuration in try mode. */
  trial: AbortController | undefined;
  readonly services: Map<string, SystemService>;
  /** Restart counts of containers and pod sandboxes: `namespace/pod:container`, `namespace/pod`. */
  readonly podRestarts: Map<string, number>;
  readonly events: NodeEvents;
  readonly kernelLog: HistoryBuffer<KernelMessage>;
  readonly logs: ServiceLogs;
  /** Images of running debug containers, by container id. */
  readonly debugContainers: Map<string, string>;
  /** Container logs that were read, by container name. */
  readonly containerLogs: ServiceLogs;
  readonly resources: NodeResources;
}

interface RunningSequence {
  readonly name: SequenceName;
  readonly replaced: AbortController;
  /** Resolves when it has finished. */
  readonly ended: Promise<void>;
}

type ServiceLogs = Map<string, HistoryBuffer<string>>;

export interface KernelMessage {
  /** Syslog facility: `kern`, `user`, `daemon`. */
  readonly facility: string;
  /** Syslog priority: `info`, `warning`. */
  readonly priority: string;
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** States of a service; in upper case in events on the wire. */
export type SimulatedServiceState =
  | "Initialized"
  | "Preparing"
  | "Waiting"
  | "Running"
  | "Stopping"
  | "Finished"
  | "Failed"
  | "Skipped"
  | "Starting";

export interface SystemService {
  /** Name: `kubelet`. */
  readonly id: string;
  state: SimulatedServiceState;
  starts: number;
  /** Result of its last health check; `unknown` before the first, and without one. */
  health: {
    readonly unknown: boolean;
    readonly healthy: boolean;
    /** Output of the check; empty if it succeeded. */
    readonly message: string;
    /** Time of the last change of the result, in milliseconds since 1970. */
    readonly changed: number;
  };
  /** Its history, oldest first, at most 64 entries; times in milliseconds since 1970. */
  events: readonly {
    readonly state: SimulatedServiceState;
    readonly message: string;
    readonly time: number;
  }[];
}

const keptMessages = 10_000;

export function startBoot(clock: Clock, uuid: string): NodeBoot {
  return {
    id: crypto.randomUUID(),
    startedAt: clock.now(),
    power: new AbortController(),
    shutdown: new AbortController(),
    openReplies: new Set(),
    stage: Stage.UNKNOWN,
    ready: false,
    reachable: false,
    liveConfiguration: undefined,
    sequence: undefined,
    installer: undefined,
    configuring: false,
    awaitingReboot: false,
    trial: undefined,
    services: new Map(),
    podRestarts: new Map(),
    events: createEvents(clock, uuid),
    kernelLog: createHistory(keptMessages),
    logs: new Map(),
    debugContainers: new Map(),
    containerLogs: new Map(),
    resources: createResources(clock),
  };
}
