import type { Json } from "../../../lib/json.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type {
  JournalRecord,
  RecordOf,
  RecordType,
  RunStart,
} from "./record.ts";
import { keepResidue, type ResidueByNode } from "./residue.ts";
import { undo } from "./undo.ts";

/** How a step ended. */
export interface StepResult {
  readonly state: "ok" | "failed" | "skipped";
  /** Entry of the block it belongs to. */
  readonly entry: number;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Name of the module that ended well. */
  readonly module?: string;
  readonly code?: ErrorCode;
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
export interface BlockPhase
  extends Pick<RecordOf<"phase">["data"], "name" | "failure" | "halted"> {
  readonly entry: number;
}

/** What an operator has decided about a step. */
export type OperatorDecision = RecordOf<"decision">["data"];

/** What is known of a node in a fan-out; how it ended the last time is absent while it is inside. */
export interface NodeHistory extends Partial<RecordOf<"node">["data"]> {
  readonly entry: number;
  /** Entry from which on it counts that the node was given another system; before it came back with the old one. */
  readonly since?: number;
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
  /** What was asked; absent where that was not written down. */
  readonly question?: Pick<OpenQuestion, "message" | "typed">;
  /** True when something was sent since: the run itself may have changed what the question says. */
  readonly acted?: true;
  /** True when inputs or runbook were changed since. */
  readonly outdated?: true;
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

function textOf(
  question: OpenQuestion | undefined,
): ApprovalHistory["question"] {
  if (question === undefined) return undefined;
  const { message, typed } = question;
  return { message, ...typed !== undefined && { typed } };
}

/** What the journal of a run says, folded. */
export class RunHistory {
  /** SHA-256 of the header, hexadecimal; empty in journals of versions that did not record it. */
  header = "";
  /** What the first process began with; absent in a journal where none has. */
  start: RunStart | undefined;
  /** When the run began, ISO 8601. */
  startedAt = "";
  /** SHA-256 of the runbook that was put in the place of the first, hexadecimal; empty when none was. */
  rebased = "";
  /** Entry of the process that had the run last, from 1. */
  entries = 0;
  lease: RecordOf<"lease">["data"] | undefined;
  /** How it ended; absent while it has not. */
  end: RecordOf<"run.end">["data"] | undefined;
  /** When it ended, ISO 8601; empty while it has not. */
  endedAt = "";
  /** When the last record was written, ISO 8601. */
  lastAt = "";
  /** Steps, by {@linkcode instanceKey}. */
  readonly instances = new Map<string, InstanceHistory>();
  /** Nodes, by {@linkcode instanceKey} of the fan-out. */
  readonly nodes = new Map<string, NodeHistory>();
  /** Nodes of groups that were resolved at entry, by path of the step and name. */
  readonly groups = new Map<string, readonly string[]>();
  /** Entries of the block in which groups were resolved last, by path of the step and name. */
  readonly groupEntries = new Map<string, number>();
  readonly decisions = new Map<string, Json>();
  /** Answers, by path of the step. */
  readonly approvals = new Map<string, ApprovalHistory>();
  /** Questions without an answer, by path of the step. */
  readonly asked = new Map<string, OpenQuestion>();
  readonly set = new Map<string, Json>();
  /** Nodes that were taken out, with the reason. */
  readonly dropped = new Map<string, string>();
  /** How many credentials and other secrets were made. */
  secrets = 0;
  /** Modules that have ended well somewhere. */
  readonly modules = new Set<string>();
  /** What was left behind on nodes. */
  readonly residue: ResidueByNode = new Map();

  /** Adds the next record. */
  add(record: JournalRecord): void {
    const { path = "", node, entry = 0, ts } = record;
    this.lastAt = ts;
    switch (record.type) {
      case "run.header":
        this.header = record.data.sha256;
        return;
      case "run.start":
        this.start = record.data ?? {};
        this.startedAt = ts;
        this.entries = 1;
        return;
      case "run.resume":
        this.entries = record.data.entry;
        this.end = undefined;
        this.endedAt = "";
        return;
      case "run.end":
        this.end = record.data;
        this.endedAt = ts;
        return;
      case "rebase":
        this.rebased = record.data.ir;
        this.#markApprovals({ outdated: true });
        return;
      case "lease":
        this.lease = record.data;
        return;
      case "group":
        this.groups.set(path, record.data.nodes);
        this.groupEntries.set(path, entry);
        return;
      case "decide":
        this.decisions.set(path, record.data.value);
        return;
      case "set":
        this.set.set(path, record.data.value);
        this.#markApprovals({ outdated: true });
        return;
      case "drop":
        this.dropped.set(node ?? "", record.data.reason);
        return;
      case "approval.requested":
        this.asked.set(path, { ...record.data, path, at: Date.parse(ts) });
        return;
      case "approval.answered": {
        const { approved, destructive, by } = record.data;
        const at = Date.parse(ts);
        const question = textOf(this.asked.get(path));
        this.asked.delete(path);
        this.approvals.set(path, {
          ...{ approved, destructive, by, at },
          ...question !== undefined && { question },
        });
        return;
      }
      case "enter":
      case "node":
        this.#addOfNode(record);
        return;
      case "secret":
        this.secrets++;
        return;
      case "gate":
      case "stop":
        return;
      default:
        this.#addOfStep(record);
    }
  }

  /** Adds to all answers what has happened since. */
  #markApprovals(mark: Pick<ApprovalHistory, "acted" | "outdated">): void {
    for (const [path, approval] of this.approvals) {
      this.approvals.set(path, { ...approval, ...mark });
    }
  }

  #addOfNode(record: OneOf<"enter" | "node">): void {
    const { path = "", node, entry = 0 } = record;
    const key = instanceKey(path, node);
    const { since } = this.nodes.get(key) ?? {};
    const kept = record.type === "node" && since !== undefined && { since };
    this.nodes.set(key, { ...kept, ...record.data, entry });
  }

  #addOfStep(record: StepRecord): void {
    const { path = "", node, entry = 0, ts } = record;
    const key = instanceKey(path, node);
    const known = this.instances.get(key) ?? {};
    const { intent } = known;
    const change = (part: InstanceHistory, before = known) =>
      void this.instances.set(key, { ...before, ...part });
    switch (record.type) {
      case "intent": {
        this.#markApprovals({ acted: true });
        const sentAt = Date.parse(ts);
        const sent = { entry, acknowledged: false, steps: [], sentAt };
        return change({ intent: { ...record.data, ...sent } }, begun(known));
      }
      case "step": {
        if (intent === undefined) return;
        const steps = [...intent.steps, record.data.step];
        return change({ intent: { ...intent, steps, sentAt: Date.parse(ts) } });
      }
      case "ack":
        if (intent === undefined) return;
        return change({ intent: { ...intent, acknowledged: true } });
      case "result": {
        const { data } = record;
        if (data.state === "ok" && data.module !== undefined) {
          this.modules.add(data.module);
          keepResidue(this.residue, data.module, data.target ?? node ?? "");
        }
        const result = { outputs: {}, ...data, entry };
        return change({ result }, begun(known));
      }
      case "when":
        return change({ when: { value: record.data.value, entry } });
      case "sleep":
        return change({ until: record.data.until });
      case "decision":
        return change({ decision: record.data });
      case "phase":
        change({ phase: { ...record.data, entry } });
        if (record.data.name !== "undone") return;
        return undo(this, { block: path, node, ...record.data });
    }
  }
}

type OneOf<Type extends RecordType> = Extract<
  JournalRecord,
  { readonly type: Type }
>;

/** Records of a step, or of a block, on the node where it has one. */
type StepRecord = OneOf<
  "intent" | "step" | "ack" | "result" | "when" | "sleep" | "decision" | "phase"
>;

/** What is known of a step that has begun: what an operator wanted done again is under way. */
function begun(known: InstanceHistory): InstanceHistory {
  const { decision, ...rest } = known;
  return decision?.verdict === "redo" ? rest : known;
}
