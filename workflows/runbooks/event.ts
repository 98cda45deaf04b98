import type { Json } from "../../lib/json.ts";
import { type DataOf, eventShapes } from "./event_data.ts";

/** Types of events. */
export const eventTypes = Object.keys(eventShapes) as readonly EventType[];

/** Type of an event. */
export type EventType = keyof Shapes;

type Shapes = typeof eventShapes;

/** An event that belongs to no step. */
interface OfRun {
  readonly path?: never;
  readonly node?: never;
  readonly attempt?: never;
}

interface OfStep {
  /** Path of the step: `controlplane/node/body/restart`. */
  readonly path: string;
  readonly node?: string;
  readonly attempt?: number;
}

/** An event of a node in a fan-out. */
interface OfNode {
  /** Path of the fan-out. */
  readonly path: string;
  readonly node: string;
  readonly attempt?: never;
}

type PlaceOf<Shape> = Shape extends { readonly node: true } ? OfNode
  : Shape extends { readonly path: true } ? OfStep
  : OfRun;

/** An event, before it has a sequence number. */
export type NewEvent = {
  [Type in EventType]: PlaceOf<Shapes[Type]> & {
    readonly type: Type;
    readonly data: DataOf<Shapes[Type]["data"]>;
  };
}[EventType];

/** An event of a step, before its path is added. */
export type NewStepEvent = {
  [Type in EventType]: Shapes[Type] extends
    { readonly path: true; readonly node: false } ? {
      readonly type: Type;
      readonly data: DataOf<Shapes[Type]["data"]>;
      readonly attempt?: number;
    }
    : never;
}[EventType];

/** Plan of a process that starts or resumes a run. */
export type PlannedRun = EventOf<"run.planned">["data"];

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
  /** Stopped at once, in the middle of its steps, or its process has exited. */
  | "interrupted"
  | "cancelled";

/** Result of a node in a fan-out. */
export type NodeState =
  | "done"
  /** The work failed and its rescue succeeded. */
  | "recovered"
  | "failed"
  | "blocked"
  | "skipped"
  /** Started, and in the middle of its steps. */
  | "interrupted"
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
  /** Start, ISO 8601. */
  readonly startedAt: string;
  /** End, ISO 8601. */
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
