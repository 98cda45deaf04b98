import type { Json } from "../../lib/json.ts";

/** Kinds of events. */
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

/** Kind of an event. */
export type EventType = typeof eventTypes[number];

interface Waiting {
  readonly reason: string;
  /** Unavailable nodes of the fan-out, for any reason. */
  readonly unavailable?: number;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  /** Path of the step inside that failed first, or its own path. */
  readonly step?: string;
}

/** Events of a run, by their type. */
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
    /** Nodes that continue to their next safe point, and the step that is it. */
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

/** Events of a step, by their type. */
interface StepEvents {
  readonly "group.resolved": {
    readonly nodes: readonly string[];
    readonly maxUnavailable?: number;
    readonly maxFailures?: number;
    /** Most nodes at once; absent for a ramp. */
    readonly atOnce?: number;
    /** Number of batches of a ramp. */
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

/** Events of a node in a fan-out, by their type. */
interface NodeEvents {
  readonly "node.queued": Readonly<Record<never, never>>;
  readonly "node.entered": { readonly entry?: number; readonly batch?: number };
  readonly "node.ended": Partial<Failed> & {
    readonly state: NodeState;
    readonly tookMs?: number;
    /** Version it runs now; only of nodes that were disrupted. */
    readonly version?: string;
  };
}

/** What is planned, when a process starts or resumes a run. */
export interface PlannedRun {
  readonly runbook: string;
  readonly title?: string;
  readonly cluster: string;
  /** Nodes of the cluster as they are now. */
  readonly nodes?: readonly {
    readonly node: string;
    readonly role: string;
    /** Version it ran when the run started. */
    readonly version?: string;
    /** Version it runs now, if that is another one. */
    readonly current?: string;
  }[];
  /** Fan-outs whose nodes are known, in order. */
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

/** One thing that happened, before it has its place among the others. */
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

/** An event of a step, before the walk adds where it is. */
export type NewStepEvent = EventsOf<StepEvents, { readonly attempt?: number }>;

/** One thing that happened. */
export type RunEvent = NewEvent & {
  readonly v: 1;
  /** Number in the stream of this process, from 1. */
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

/** How a run ended. */
export type RunState =
  | "succeeded"
  /** Some nodes failed, no more than allowed. */
  | "partial"
  | "failed"
  /** A rule refused, or something is in doubt. */
  | "blocked"
  /** Cleanly, at a safe point. */
  | "stopped"
  /** Cleanly, before an approval. */
  | "waiting-approval"
  /** An approval was refused, or came too late. */
  | "refused"
  | "cancelled";

/** What became of a node in a fan-out. */
export type NodeState =
  | "done"
  /** The work failed and its rescue did not. */
  | "recovered"
  | "failed"
  | "blocked"
  | "skipped"
  | "not-reached";

/** What became of one target. */
export interface TargetReport {
  readonly node: string;
  /** Path of the fan-out: `workers`. */
  readonly path: string;
  readonly state: NodeState;
  /** Path of the step that failed. */
  readonly step?: string;
  readonly code?: string;
  readonly message?: string;
  /** File with what was found out about it, relative to the folder of the run. */
  readonly artifact?: string;
  /** How long it took, in milliseconds. */
  readonly tookMs?: number;
}

/** What became of one node in all fan-outs of a run. */
export interface NodeReport extends TargetReport {
  /** Role; absent when it is not known. */
  readonly role?: string;
  /** Version when the run started; absent when it is not known. */
  readonly from?: string;
  /** Version at the end; absent when it is not known. */
  readonly to?: string;
}

/** Something the run has left behind. */
export interface Residue {
  readonly kind: "cordoned" | "armed" | "accepted-ca";
  readonly node: string;
  readonly message: string;
}

/** The end of a run, for people and programs. */
export interface RunReport {
  readonly run: string;
  readonly runbook: string;
  readonly cluster: string;
  readonly state: RunState;
  readonly status: number;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  /** When it ended, ISO 8601. */
  readonly endedAt: string;
  /** Every target of every fan-out. */
  readonly targets: readonly TargetReport[];
  /** Every node of every fan-out once; those of fan-outs that never began were not reached. */
  readonly nodes?: readonly NodeReport[];
  /** The step outside of fan-outs that failed, or why the run was stopped. */
  readonly failure?: {
    /** Its path; empty when the run was stopped. */
    readonly step: string;
    readonly code: string;
    readonly message: string;
  };
  /** Steps of `rescue` and `always` that failed; absent when none did. */
  readonly cleanup?: readonly {
    readonly part: "rescue" | "always";
    /** Path of the step it began with. */
    readonly step: string;
    /** Node; absent outside of fan-outs. */
    readonly node?: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Steps that were skipped by hand, with the reason. */
  readonly skipped: readonly {
    readonly step: string;
    readonly node?: string;
    readonly reason: string;
  }[];
  /** Nodes that joined the cluster since the plan, and were left alone. */
  readonly joined?: readonly string[];
  readonly residue: readonly Residue[];
  readonly artifacts: readonly string[];
  /** Values of `outputs`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Command that continues; absent when there is nothing to continue with. */
  readonly next?: string;
}

/** Adds up the events of a run. */
export interface EventFold<State> {
  readonly take: (event: RunEvent) => void;
  /** How things are after the events so far. */
  readonly shown: () => State;
}
