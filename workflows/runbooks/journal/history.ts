import type { Json } from "../../../lib/json.ts";
import type { NodeState } from "../event.ts";
import type { Details } from "./record.ts";
import type { ResidueByNode } from "./residue.ts";

/** How a step ended. */
export interface StepResult {
  readonly state: "ok" | "failed" | "skipped";
  /** Entry of the block it belongs to. */
  readonly entry: number;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Name of the module that ended well. */
  readonly module?: string;
  readonly code?: string;
  /** Why it failed, or was skipped. */
  readonly message?: string;
  /** Path of the step inside that failed. */
  readonly step?: string;
}

/** Something that was sent, or may have been. */
export interface OpenIntent {
  /** What tells the attempt from others. */
  readonly key: Json;
  readonly input: Json;
  /** Entry of the block it belongs to. */
  readonly entry: number;
  readonly operation: string;
  /** Whether the node accepted it. */
  readonly acknowledged: boolean;
  /** Parts that the node was about to be asked for, in order. */
  readonly steps: readonly string[];
  /** When the last part was about to be sent, in milliseconds since 1970; absent in checkpoints of old. */
  readonly sentAt?: number;
  /** Node it was sent to, when that is not the one of the step: by name or address. */
  readonly target?: string;
  /** True when a rescue has changed the node since. */
  readonly undone?: true;
}

/** What is known of a step, on a node where it has one. */
export interface InstanceHistory {
  /** Last attempt that was sent; stays when it has ended. */
  readonly intent?: OpenIntent;
  readonly result?: StepResult;
  readonly when?: { readonly value: boolean; readonly entry: number };
  readonly phase?: BlockPhase;
  /** End of a sleep, in milliseconds since 1970. */
  readonly until?: number;
  /** What an operator has decided. */
  readonly decision?: OperatorDecision;
}

/** Where a block is that has failed, or has ended. */
export interface BlockPhase {
  /** What is running; `undone` when a rescue has changed the node, `left` when a block that was to stop has been left. */
  readonly name: "rescue" | "undone" | "always" | "left";
  readonly entry: number;
  /** True when the block was to stop before its end, so that it is entered again. */
  readonly halted?: true;
  /** Why the block failed; absent when it did not. */
  readonly failure?: Details;
}

/** What an operator has decided about a step. */
export interface OperatorDecision {
  readonly verdict: "skip" | "redo" | "done";
  readonly reason: string;
}

/** What is known of a node in a fan-out. */
export interface NodeHistory {
  readonly entry: number;
  /** How it ended the last time; absent while it is inside. */
  readonly state?: NodeState;
  /** Entry from which on it counts that the node was given another system; before it came back with the old one. */
  readonly since?: number;
  /** Entry of what is around the fan-out; absent while it is inside. */
  readonly around?: number;
  /** Path of the step that failed. */
  readonly step?: string;
  readonly code?: string;
  readonly message?: string;
  /** Time it took, in milliseconds. */
  readonly tookMs?: number;
}

/** An answer to an approval. */
export interface ApprovalHistory {
  readonly approved: boolean;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** True when data may be lost by what was approved. */
  readonly destructive: boolean;
  /** Who answered; empty when that was not written down. */
  readonly by: string;
}

/** A question that is not answered yet. */
export interface OpenQuestion {
  readonly tag: string;
  readonly path: string;
  readonly message: string;
  /** True when data may be lost by what is approved. */
  readonly destructive: boolean;
  /** What has to be typed; absent when nothing has. */
  readonly typed?: string;
  /** How long an answer holds, in milliseconds. */
  readonly lastsMs: number;
  /** When it was asked last, in milliseconds since 1970. */
  readonly at: number;
}

/** What the journal of a run says. */
export interface RunHistory {
  /** SHA-256 of the header, hexadecimal; empty in journals of versions that did not record it. */
  header: string;
  /** What the first process began with; absent in a journal where none has. */
  start: Details | undefined;
  /** When the run began, ISO 8601. */
  startedAt: string;
  /** SHA-256 of the runbook that was put in the place of the first, hexadecimal; empty when none was. */
  rebased: string;
  /** Entry of the process that had the run last, from 1. */
  entries: number;
  /** Steps, by {@linkcode instanceKey}. */
  readonly instances: Map<string, InstanceHistory>;
  /** Nodes, by {@linkcode instanceKey} of the fan-out. */
  readonly nodes: Map<string, NodeHistory>;
  /** Nodes of groups that were resolved at entry, by path of the step and name. */
  readonly groups: Map<string, readonly string[]>;
  /** Entries of the block in which groups were resolved last, by path of the step and name. */
  readonly groupEntries: Map<string, number>;
  readonly decisions: Map<string, Json>;
  /** Answers, by path of the step. */
  readonly approvals: Map<string, ApprovalHistory>;
  /** Questions without an answer, by path of the step. */
  readonly asked: Map<string, OpenQuestion>;
  readonly set: Map<string, Json>;
  /** Nodes that were taken out, with the reason. */
  readonly dropped: Map<string, string>;
  /** Credentials and other secrets that were made, in order. */
  readonly secrets: Details[];
  /** Modules that have ended well somewhere. */
  readonly modules: Set<string>;
  /** What was left behind on nodes. */
  readonly residue: ResidueByNode;
  lease: Details | undefined;
  /** How it ended; absent while it has not. */
  end: Details | undefined;
  /** When it ended, ISO 8601; empty while it has not. */
  endedAt: string;
  /** When the last record was written, ISO 8601. */
  lastAt: string;
}

/**
 * Name of a group over all runbooks of a run.
 *
 * @param book Path of the step that uses the runbook; empty for the one that was started.
 */
export function groupKey(
  { path }: { readonly path: string },
  name: string,
): string {
  return `${path}#${name}`;
}

/** Key of a step on a node, or of a node in a fan-out. */
export function instanceKey(path: string, node: string | undefined): string {
  return node === undefined ? path : `${path}@${node}`;
}

/** A history without records. */
export function emptyHistory(): RunHistory {
  return {
    header: "",
    start: undefined,
    startedAt: "",
    rebased: "",
    entries: 0,
    instances: new Map(),
    nodes: new Map(),
    groups: new Map(),
    groupEntries: new Map(),
    decisions: new Map(),
    approvals: new Map(),
    asked: new Map(),
    set: new Map(),
    dropped: new Map(),
    secrets: [],
    modules: new Set(),
    residue: new Map(),
    lease: undefined,
    end: undefined,
    endedAt: "",
    lastAt: "",
  };
}
