import type { Json } from "../../lib/json.ts";

/** Types of events. */
export const eventTypes = [
  "run.planned",
  "run.started",
  "run.resumed",
  "run.waiting",
  "run.stopping",
  "run.ended",
  "group.resolved",
  "node.queued",
  "node.entered",
  "node.ended",
  "step.start",
  "step.waiting",
  "step.progress",
  "step.retry",
  "step.done",
  "step.failed",
  "step.skipped",
  "step.in-doubt",
  "approval.requested",
  "approval.answered",
  "lock.acquired",
  "lock.lost",
  "secret.created",
  "note",
] as const;

/** Type of an event. */
export type EventType = typeof eventTypes[number];

interface Waiting {
  readonly reason: string;
  /** Nodes of the fan-out that are unavailable, for any reason. */
  readonly unavailable?: number;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  /** Path of the inner step that failed first, or the step's own path. */
  readonly step?: string;
}

/** Events of a run, by type. */
interface RunEvents {
  readonly "run.planned": PlannedRun;
  readonly "run.started": {
    readonly runbook: string;
    readonly cluster?: string;
    readonly groups?: Readonly<Record<string, readonly string[]>>;
  };
  readonly "run.resumed": {
    readonly runbook: string;
    readonly cluster?: string;
    readonly entry?: number;
  };
  readonly "run.waiting": { readonly reason: string; readonly for?: string };
  readonly "run.stopping": {
    readonly reason?: string;
    /** Nodes that continue to their next safe point, each with the step at which it is reached. */
    readonly waiting?: readonly {
      readonly node: string;
      readonly until: string;
    }[];
  };
  readonly "run.ended": {
    readonly state: RunState;
    readonly status: number;
    readonly next?: string;
  };
  readonly "lock.acquired": { readonly holder?: string };
  readonly "lock.lost": { readonly holder?: string; readonly reason?: string };
  readonly "secret.created": {
    readonly name: string;
    readonly fingerprint?: string;
  };
  readonly note: { readonly message: string };
}

/** Events of a step, by type. */
interface StepEvents {
  readonly "group.resolved": {
    readonly nodes: readonly string[];
    readonly maxUnavailable?: number;
    readonly maxFailures?: number;
    /** Maximum of nodes at once; absent for a ramp. */
    readonly atOnce?: number;
    readonly batches?: number;
  };
  readonly "step.start": { readonly verb: string };
  readonly "step.waiting": Waiting;
  readonly "step.progress": Partial<Waiting>;
  readonly "step.retry": {
    readonly code: string;
    readonly message?: string;
    readonly waitMs?: number;
  };
  readonly "step.done": {
    readonly tookMs?: number;
    readonly recovered?: boolean;
    readonly changed?: boolean;
  };
  readonly "step.failed": Failed & {
    readonly continues?: boolean;
    readonly tookMs?: number;
    readonly artifact?: string;
  };
  readonly "step.skipped": { readonly reason: string };
  readonly "step.in-doubt": Partial<Failed> & {
    readonly message: string;
    readonly continues?: boolean;
    readonly tookMs?: number;
  };
  readonly "approval.requested": {
    readonly tag: string;
    readonly message: string;
    readonly destructive?: boolean;
  };
  readonly "approval.answered": {
    readonly tag: string;
    readonly approved: boolean;
    readonly by?: string;
    readonly how?: string;
    readonly reason?: string;
  };
}

/** Events of a node in a fan-out, by type. */
interface NodeEvents {
  readonly "node.queued": Readonly<Record<never, never>>;
  readonly "node.entered": { readonly entry?: number; readonly batch?: number };
  readonly "node.ended": Partial<Failed> & {
    readonly state: NodeState;
    readonly tookMs?: number;
    /** Current version; only for nodes that were disrupted. */
    readonly version?: string;
  };
}

/** Plan of a process that starts or resumes a run. */
export interface PlannedRun {
  readonly runbook: string;
  readonly title?: string;
  readonly cluster: string;
  /** Current nodes of the cluster. */
  readonly nodes?: readonly {
    readonly node: string;
    readonly role: string;
    /** Version at the start of the run. */
    readonly version?: string;
    /** Current version, if different. */
    readonly current?: string;
  }[];
  /** Fan-outs with known nodes, in order. */
  readonly fanOuts?: readonly {
    readonly path: string;
    readonly nodes: readonly string[];
    readonly state?: "done";
  }[];
  /** Steps of the runbook, in order. */
  readonly stages?: readonly {
    readonly path: string;
    readonly title?: string;
    readonly verb?: string;
    readonly nodes?: number;
    readonly state?: "done" | "skipped";
  }[];
}

type EventsOf<Events, Place> = {
  [Type in keyof Events]: Place & {
    readonly type: Type;
    readonly data: Events[Type];
  };
}[keyof Events];

/** An event, before it has a sequence number. */
export type NewEvent =
  | EventsOf<RunEvents, {
    readonly path?: never;
    readonly node?: never;
    readonly attempt?: never;
  }>
  | EventsOf<StepEvents, {
    /** Path of the step: `controlplane/node/body/restart`. */
    readonly path: string;
    readonly node?: string;
    readonly attempt?: number;
  }>
  | EventsOf<NodeEvents, {
    /** Path of the fan-out. */
    readonly path: string;
    readonly node: string;
    readonly attempt?: never;
  }>;

/** An event of a step, before its path is added. */
export type NewStepEvent = EventsOf<StepEvents, { readonly attempt?: number }>;

/** An event of a run. */
export type RunEvent = NewEvent & {
  readonly v: 1;
  /** Sequence number in this process, from 1. */
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  readonly run: string;
};

/** An event of some types. */
export type EventOf<Type extends EventType> = Extract<
  RunEvent,
  { readonly type: Type }
>;

/** Result of a run. */
export type RunState =
  | "succeeded"
  /** Some nodes failed, no more than allowed. */
  | "partial"
  | "failed"
  /** A rule refused it, or a step is in doubt. */
  | "blocked"
  /** Stopped cleanly, at a safe point. */
  | "stopped"
  /** Stopped cleanly, before an approval. */
  | "waiting-approval"
  /** An approval was refused, or timed out. */
  | "refused"
  | "cancelled";

/** Result of a node in a fan-out. */
export type NodeState =
  | "done"
  /** The work failed and its rescue succeeded. */
  | "recovered"
  | "failed"
  | "blocked"
  | "skipped"
  | "not-reached";

/** Result of one target. */
export interface TargetReport {
  readonly node: string;
  /** Path of the fan-out: `workers`. */
  readonly path: string;
  readonly state: NodeState;
  /** Path of the step that failed. */
  readonly step?: string;
  readonly code?: string;
  readonly message?: string;
  /** File with evidence of the failure, relative to the folder of the run. */
  readonly artifact?: string;
  /** Duration in milliseconds. */
  readonly tookMs?: number;
}

/** Result of one node over all fan-outs of a run. */
export interface NodeReport extends TargetReport {
  /** Role; absent if unknown. */
  readonly role?: string;
  /** Version at the start of the run; absent if unknown. */
  readonly from?: string;
  /** Version at the end; absent if unknown. */
  readonly to?: string;
}

/** Something the run has left on a node. */
export interface Residue {
  readonly kind: "cordoned" | "armed" | "accepted-ca";
  readonly node: string;
  readonly message: string;
}

/** Report of a finished run, for people and programs. */
export interface RunReport {
  readonly run: string;
  readonly runbook: string;
  readonly cluster: string;
  readonly state: RunState;
  readonly status: number;
  /** When it started, ISO 8601. */
  readonly startedAt: string;
  /** When it finished, ISO 8601. */
  readonly endedAt: string;
  /** All targets of all fan-outs. */
  readonly targets: readonly TargetReport[];
  /** Each node of all fan-outs once; nodes of fan-outs that never started count as not reached. */
  readonly nodes?: readonly NodeReport[];
  /** Step outside fan-outs that failed, or the reason why the run was stopped. */
  readonly failure?: {
    /** Its path; empty when the run was stopped. */
    readonly step: string;
    readonly code: string;
    readonly message: string;
  };
  /** Steps of `rescue` and `always` that failed; absent when none did. */
  readonly cleanup?: readonly {
    readonly part: "rescue" | "always";
    /** Path of the step that failed first. */
    readonly step: string;
    /** Node; absent outside fan-outs. */
    readonly node?: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Steps that an operator skipped, with the reason. */
  readonly skipped: readonly {
    readonly step: string;
    readonly node?: string;
    readonly reason: string;
  }[];
  /** Nodes that joined the cluster after the plan, and were not touched. */
  readonly joined?: readonly string[];
  readonly residue: readonly Residue[];
  readonly artifacts: readonly string[];
  /** Values of `outputs`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Command that resumes the run; absent when there is nothing to resume. */
  readonly next?: string;
}

/** Folds the events of a run. */
export interface EventFold<State> {
  readonly take: (event: RunEvent) => void;
  /** State after the events so far. */
  readonly shown: () => State;
}
