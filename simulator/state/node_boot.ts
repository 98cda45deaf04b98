/** What a boot of a simulated node starts anew: everything that is in memory only. */

import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import type { SequenceName } from "../release/sequences.ts";
import type { Clock } from "../clock/clock.ts";
import { createResources, type NodeResources } from "../resources/resources.ts";
import { createHistory, type HistoryBuffer } from "../wire/history_buffer.ts";
import { createEvents, type NodeEvents } from "./events.ts";

/** One boot; the next one replaces it. */
export interface NodeBoot {
  readonly id: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Aborts when the power goes: every open call breaks. */
  readonly power: AbortController;
  /** Aborts when the node's API is about to stop: streams of events end in good order. */
  readonly shutdown: AbortController;
  /** Streams and replies that a shutdown waits for. */
  readonly openReplies: Set<unknown>;
  /** Stage of the machine, as the node reports it. */
  stage: Stage;
  /** False while the node boots, or a condition of readiness is not met. */
  ready: boolean;
  /** True while the node answers on the network. */
  reachable: boolean;
  /** Configuration it runs with, YAML, while that is another one than on its disk. */
  liveConfiguration: string | undefined;
  /** The one sequence it may run. */
  sequence: RunningSequence | undefined;
  /** Command line of the one installer it may run. */
  installer: string | undefined;
  /** True while a configuration is being applied. */
  configuring: boolean;
  /** True once a configuration was accepted that a reboot brings into effect. */
  awaitingReboot: boolean;
  /** Ends the trial of a configuration that is reverted automatically. */
  trial: AbortController | undefined;
  readonly services: Map<string, SystemService>;
  /** How often containers, and sandboxes of pods, were restarted: `namespace/pod:container`, `namespace/pod`. */
  readonly podRestarts: Map<string, number>;
  readonly events: NodeEvents;
  readonly kernelLog: HistoryBuffer<KernelMessage>;
  readonly logs: ServiceLogs;
  /** Logs of containers that were read, by the container's name. */
  readonly containerLogs: ServiceLogs;
  readonly resources: NodeResources;
}

interface RunningSequence {
  readonly name: SequenceName;
  /** Aborts when another sequence replaces it. */
  readonly replaced: AbortController;
  /** Resolves when it has finished. */
  readonly ended: Promise<void>;
}

type ServiceLogs = Map<string, HistoryBuffer<string>>;

/** One message of the kernel log. */
export interface KernelMessage {
  /** Where it came from: `kern`, `user`, `daemon`. */
  readonly facility: string;
  /** How important it is: `info`, `warning`. */
  readonly priority: string;
  /** When, in milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** States of a service; the wire's events spell them in capitals. */
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

/** One service of one node. */
export interface SystemService {
  /** Name: `kubelet`. */
  readonly id: string;
  state: SimulatedServiceState;
  /** How often its program was started in this boot. */
  starts: number;
  /** Result of its last health check; `unknown` before the first, and without one. */
  health: {
    readonly unknown: boolean;
    readonly healthy: boolean;
    /** What the check said; empty when it succeeded. */
    readonly message: string;
    /** When the result changed last, in milliseconds since 1970. */
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

/** Starts a boot. */
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
    containerLogs: new Map(),
    resources: createResources(clock),
  };
}
