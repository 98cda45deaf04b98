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

/** One thing that happened. */
export interface RunEvent {
  readonly v: 1;
  /** Number in the stream of this process, from 1. */
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  readonly run: string;
  readonly type: EventType;
  /** Path of the step: `controlplane/node/body/restart`; absent for those of the run. */
  readonly path?: string;
  readonly node?: string;
  readonly attempt?: number;
  /** What else there is to say: `reason`, `took`, `message`, `code`. */
  readonly data: Readonly<Record<string, Json>>;
}

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
