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

/** Result of a step. */
export interface StepResult {
  readonly state: "ok" | "failed" | "skipped";
  /** Entry of the block it belongs to. */
  readonly entry: number;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Name of the module, if it succeeded. */
  readonly module?: string;
  readonly code?: ErrorCode;
  /** Reason for the failure or the skip. */
  readonly message?: string;
  /** Path of the inner step that failed. */
  readonly step?: string;
}

/** A change that was sent, or may have been. */
export interface OpenIntent {
  /** Identifies the attempt. */
  readonly key: Json;
  readonly input: Json;
  /** Entry of the block it belongs to. */
  readonly entry: number;
  readonly operation: string;
  readonly acknowledged: boolean;
  /** Parts about to be requested from the node, in order. */
  readonly steps: readonly string[];
  /** When the last part was about to be sent, in milliseconds since 1970; absent in old checkpoints. */
  readonly sentAt?: number;
  /** Node it was sent to, if not the node of the step: name or address. */
  readonly target?: string;
  /** True when a rescue has changed the node since. */
  readonly undone?: true;
}

/** History of a step, on its node if it has one. */
export interface InstanceHistory {
  /** Last attempt that was sent; kept after it has finished. */
  readonly intent?: OpenIntent;
  readonly result?: StepResult;
  readonly when?: { readonly value: boolean; readonly entry: number };
  readonly phase?: BlockPhase;
  /** End of a sleep, in milliseconds since 1970. */
  readonly until?: number;
  readonly decision?: OperatorDecision;
}

/** Phase of a block that has failed or finished. */
export interface BlockPhase
  extends Pick<RecordOf<"phase">["data"], "name" | "failure" | "halted"> {
  readonly entry: number;
}

/** Decision of an operator about a step. */
export type OperatorDecision = RecordOf<"decision">["data"];

/** History of a node in a fan-out; the last result is absent while the node is running. */
export interface NodeHistory extends Partial<RecordOf<"node">["data"]> {
  readonly entry: number;
  /** First start since it last finished, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** Entry from which on installations count; before it, the node came back with the old system. */
  readonly since?: number;
}

/** Answer to an approval. */
export interface ApprovalHistory {
  readonly approved: boolean;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** True when the approved step may lose data. */
  readonly destructive: boolean;
  /** Who answered; empty if not recorded. */
  readonly by: string;
  /** The question; absent if not recorded. */
  readonly question?: Pick<OpenQuestion, "message" | "typed">;
  /** True when something was sent since: the run itself may have changed the facts in the question. */
  readonly acted?: true;
  /** True when inputs or the runbook have changed since. */
  readonly outdated?: true;
}

/** A question without an answer. */
export interface OpenQuestion {
  readonly tag: string;
  readonly path: string;
  readonly message: string;
  /** True when the step may lose data. */
  readonly destructive: boolean;
  /** Text to type for approval; absent if none is required. */
  readonly typed?: string;
  /** How long an answer is valid, in milliseconds. */
  readonly lastsMs: number;
  /** When it was last asked, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Name of a group, unique over all runbooks of a run.
 *
 * @param book Path of the step that uses the runbook; empty for the main runbook.
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

function readText(
  question: OpenQuestion | undefined,
): ApprovalHistory["question"] {
  if (question === undefined) return undefined;
  const { message, typed } = question;
  return { message, ...typed !== undefined && { typed } };
}

/** State of a run, folded from its journal. */
export class RunHistory {
  /** SHA-256 of the header, hexadecimal; empty in journals of versions that did not record it. */
  header = "";
  /** Start of the first process; absent if none has started. */
  start: RunStart | undefined;
  /** Start of the run, ISO 8601. */
  startedAt = "";
  /** SHA-256 of the runbook that replaced the first, hexadecimal; empty if none did. */
  rebased = "";
  /** Entry of the last process, from 1. */
  entries = 0;
  lease: RecordOf<"lease">["data"] | undefined;
  /** Result of the run; absent until it finishes. */
  end: RecordOf<"run.end">["data"] | undefined;
  /** End, ISO 8601; empty until then. */
  endedAt = "";
  /** When the last record was written, ISO 8601. */
  lastAt = "";
  /** Starts of unfinished and finished steps of the runbook, in milliseconds since 1970, by path; failed ones start anew. */
  readonly stageStarts = new Map<string, number>();
  /** Steps, by {@linkcode instanceKey}. */
  readonly instances = new Map<string, InstanceHistory>();
  /** Nodes, by {@linkcode instanceKey} of the fan-out. */
  readonly nodes = new Map<string, NodeHistory>();
  /** Nodes of groups that were resolved at entry, by path of the step and name. */
  readonly groups = new Map<string, readonly string[]>();
  /** Entries of the block in which groups were last resolved, by path of the step and name. */
  readonly groupEntries = new Map<string, number>();
  readonly decisions = new Map<string, Json>();
  /** Answers, by path of the step. */
  readonly approvals = new Map<string, ApprovalHistory>();
  /** Questions without an answer, by path of the step. */
  readonly asked = new Map<string, OpenQuestion>();
  readonly set = new Map<string, Json>();
  /** SHA-256 of files read because of later inputs, hexadecimal, by path. */
  readonly files = new Map<string, string>();
  /** Nodes that were dropped, with the reason. */
  readonly dropped = new Map<string, string>();
  /** Number of credentials and other secrets that were created. */
  secrets = 0;
  /** Modules that succeeded at least once. */
  readonly modules = new Set<string>();
  /** Residue on nodes. */
  readonly residue: ResidueByNode = new Map();

  /** Adds the next record. */
  add(record: JournalRecord): void {
    const { path = "", node, entry = 0, ts } = record;
    this.lastAt = ts;
    if (starting.has(record.type)) this.#startStage(path, Date.parse(ts));
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
      case "files":
        for (const [path, sha256] of Object.entries(record.data.sha256)) {
          this.files.set(path, sha256);
        }
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
        const question = readText(this.asked.get(path));
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

  /** Marks all answers with a later event. */
  #markApprovals(mark: Pick<ApprovalHistory, "acted" | "outdated">): void {
    for (const [path, approval] of this.approvals) {
      this.approvals.set(path, { ...approval, ...mark });
    }
  }

  #startStage(path: string, at: number): void {
    const [top = path] = path.split("/");
    if (!this.stageStarts.has(top)) this.stageStarts.set(top, at);
  }

  #addOfNode(record: OneOf<"enter" | "node">): void {
    const { path = "", node, entry = 0, ts } = record;
    const key = instanceKey(path, node);
    const { since, state, startedAt } = this.nodes.get(key) ?? {};
    const isEnd = record.type === "node";
    const kept = isEnd && since !== undefined && { since };
    // A node that was interrupted continues.
    const known = isEnd || state === undefined ? startedAt : undefined;
    this.nodes.set(key, {
      ...kept,
      ...record.data,
      entry,
      startedAt: known ?? Date.parse(ts),
    });
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
        return change(
          { intent: { ...record.data, ...sent } },
          beginAgain(known),
        );
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
        if (data.state === "failed") this.stageStarts.delete(path);
        if (data.state === "ok" && data.module !== undefined) {
          this.modules.add(data.module);
          keepResidue(this.residue, data.module, data.target ?? node ?? "");
        }
        const result = { outputs: {}, ...data, entry };
        return change({ result }, beginAgain(known));
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

/** Records that are written once a step has started. */
const starting: ReadonlySet<RecordType> = new Set([
  "approval.requested",
  "decide",
  "enter",
  "group",
  "intent",
  "phase",
  "sleep",
  "when",
]);

type OneOf<Type extends RecordType> = Extract<
  JournalRecord,
  { readonly type: Type }
>;

/** Records of a step or block, on its node if it has one. */
type StepRecord = OneOf<
  "intent" | "step" | "ack" | "result" | "when" | "sleep" | "decision" | "phase"
>;

/** History of a step that has started: a requested retry is now in progress. */
function beginAgain(known: InstanceHistory): InstanceHistory {
  const { decision, ...rest } = known;
  return decision?.verdict === "redo" ? rest : known;
}
