/** What the journal of a run says, folded. */

import type { Json } from "../../operations/operation.ts";
import type { NodeState } from "../event.ts";
import type { Details, JournalRecord } from "./record.ts";
import { undo, type Undone } from "./undo.ts";
import { keepResidue, type ResidueByNode } from "./residue.ts";

/** How a step ended. */
export interface StepResult {
  /** How. */
  readonly state: "ok" | "failed" | "skipped";
  /** Entry of the block it belongs to. */
  readonly entry: number;
  /** What it gave. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Name of the module that ended well. */
  readonly module?: string;
  /** Kind of failure. */
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
  /** What was asked for. */
  readonly input: Json;
  /** Entry of the block it belongs to. */
  readonly entry: number;
  /** Name of the operation. */
  readonly operation: string;
  /** Whether the node took it. */
  readonly acknowledged: boolean;
  /** Parts that the node was about to be asked for, in order. */
  readonly steps: readonly string[];
  /** Node it was sent to, when that is not the one of the step: by name or address. */
  readonly target?: string;
  /** True when a rescue has changed the node since. */
  readonly undone?: true;
}

/** What is known of a step, on a node where it has one. */
export interface InstanceHistory {
  /** Last attempt that was sent; stays when it has ended. */
  readonly intent?: OpenIntent;
  /** How it ended last. */
  readonly result?: StepResult;
  /** Value of its condition. */
  readonly when?: { readonly value: boolean; readonly entry: number };
  /** Where its block is. */
  readonly phase?: BlockPhase;
  /** End of a sleep, in milliseconds since 1970. */
  readonly until?: number;
  /** What an operator has decided. */
  readonly decision?: OperatorDecision;
}

/** Where a block is that has failed, or has ended. */
export interface BlockPhase {
  /** What goes on; `undone` when a rescue has changed the node, `left` when a block that was to stop has been left. */
  readonly name: "rescue" | "undone" | "always" | "left";
  /** Entry it belongs to. */
  readonly entry: number;
  /** True when the block was to stop before its end, so that it is entered again. */
  readonly halted?: true;
  /** Why the block failed; absent when it did not. */
  readonly failure?: Details;
}

/** What an operator has decided about a step. */
export interface OperatorDecision {
  /** What. */
  readonly verdict: "skip" | "redo" | "done";
  /** Why. */
  readonly reason: string;
}

/** What is known of a node in a fan-out. */
export interface NodeHistory {
  /** How often it began. */
  readonly entry: number;
  /** How it ended the last time; absent while it is inside. */
  readonly state?: NodeState;
  /** Entry from which on it counts that the node was given another system; before it came back with the old one. */
  readonly since?: number;
  /** Entry of what is around the fan-out; absent while it is inside. */
  readonly around?: number;
  /** Path of the step that failed. */
  readonly step?: string;
  /** Kind of failure. */
  readonly code?: string;
  /** Why. */
  readonly message?: string;
  /** Time it took, in milliseconds. */
  readonly tookMs?: number;
}

/** An answer to an approval. */
export interface ApprovalHistory {
  /** Whether it was given. */
  readonly approved: boolean;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** True when data may be lost by what was approved. */
  readonly destructive: boolean;
  /** Who answered; empty when that was not written down. */
  readonly by: string;
}

/** A question that nobody has answered yet. */
export interface OpenQuestion {
  /** Name of the approval. */
  readonly tag: string;
  /** Path of the step. */
  readonly path: string;
  /** What is asked. */
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
  /** First record; absent in a journal without records. */
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
  /** Values that were decided. */
  readonly decisions: Map<string, Json>;
  /** Answers, by path of the step. */
  readonly approvals: Map<string, ApprovalHistory>;
  /** Questions without an answer, by path of the step. */
  readonly asked: Map<string, OpenQuestion>;
  /** Inputs changed on resume. */
  readonly set: Map<string, Json>;
  /** Nodes that were taken out, with the reason. */
  readonly dropped: Map<string, string>;
  /** Credentials and other secrets that were made, in order. */
  readonly secrets: Details[];
  /** Modules that have ended well somewhere. */
  readonly modules: Set<string>;
  /** What was left behind on nodes. */
  readonly residue: ResidueByNode;
  /** Last record of a lease. */
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

/**
 * Adds a record.
 *
 * @param history What was before; changed in place, since journals are long.
 */
export function addRecord(history: RunHistory, record: JournalRecord): void {
  const { t, p = "", n, e = 0, d = {}, ts } = record;
  const key = instanceKey(p, n);
  history.lastAt = ts;
  const change = (part: Partial<InstanceHistory>) =>
    history.instances.set(key, { ...history.instances.get(key), ...part });
  /** The same, and what an operator wanted done again has been begun. */
  const begin = (part: Partial<InstanceHistory>) => {
    const { decision, ...known } = history.instances.get(key) ?? {};
    const stays = decision !== undefined && decision.verdict !== "redo";
    const rest = stays ? { decision } : {};
    history.instances.set(key, { ...known, ...rest, ...part });
  };
  switch (t) {
    case "run.start":
      history.start = d;
      history.startedAt = ts;
      history.entries = 1;
      return;
    case "run.resume":
      history.entries = Number(d.entry);
      history.end = undefined;
      history.endedAt = "";
      return;
    case "rebase":
      history.rebased = String(d.ir);
      return;
    case "intent": {
      const { key: attempt = null, input = null, operation = "", target } = d;
      begin({
        intent: {
          key: attempt,
          input,
          operation: String(operation),
          entry: e,
          acknowledged: false,
          steps: [],
          ...(typeof target === "string" ? { target } : {}),
        },
      });
      return;
    }
    case "step": {
      const intent = history.instances.get(key)?.intent;
      if (intent !== undefined) {
        const steps = [...intent.steps, String(d.step)];
        change({ intent: { ...intent, steps } });
      }
      return;
    }
    case "ack": {
      const intent = history.instances.get(key)?.intent;
      if (intent !== undefined) {
        change({ intent: { ...intent, acknowledged: true } });
      }
      return;
    }
    case "result":
      if (d.state === "ok" && typeof d.module === "string") {
        history.modules.add(d.module);
        keepResidue(history.residue, d.module, String(d.target ?? n ?? ""));
      }
      begin({ result: resultOf(d, e) });
      return;
    case "when":
      change({ when: { value: d.value === true, entry: e } });
      return;
    case "sleep":
      change({ until: Number(d.until) });
      return;
    case "phase":
      // Written by `block.ts` of the engine.
      change({ phase: { ...(d as unknown as BlockPhase), entry: e } });
      // Written by `block.ts` of the engine.
      if (d.name === "undone") {
        undo(history, { block: p, node: n, ...d as unknown as Undone });
      }
      return;
    case "decision":
      // Written from the options of `resume`.
      change({ decision: d as unknown as OperatorDecision });
      return;
    case "enter":
      // All of it is written by `for_each.ts` of the engine.
      history.nodes.set(key, { ...(d as unknown as NodeHistory), entry: e });
      return;
    case "node": {
      const { since } = history.nodes.get(key) ?? {};
      const ended = d as unknown as NodeHistory;
      const kept = since === undefined ? {} : { since };
      history.nodes.set(key, { ...kept, ...ended, entry: e });
      return;
    }
    case "group":
      // A list of names is all this record ever holds.
      history.groups.set(p, d.nodes as readonly string[]);
      history.groupEntries.set(p, e);
      return;
    case "decide":
      history.decisions.set(p, d.value ?? null);
      return;
    case "approve.asked":
      history.asked.set(p, questionOf(record));
      return;
    case "approve.answered":
      history.asked.delete(p);
      history.approvals.set(p, {
        approved: d.approved === true,
        destructive: d.destructive === true,
        by: String(d.by ?? ""),
        at: Date.parse(ts),
      });
      return;
    case "set":
      history.set.set(p, d.value ?? null);
      return;
    case "drop":
      history.dropped.set(n ?? "", String(d.reason));
      return;
    case "secret":
      history.secrets.push(d);
      return;
    case "lease":
      history.lease = d;
      return;
    case "run.end":
      history.end = d;
      history.endedAt = ts;
      return;
    case "checkpoint":
    case "gate":
    case "stop":
      return;
  }
}

function questionOf({ p = "", d = {}, ts }: JournalRecord): OpenQuestion {
  return {
    tag: String(d.tag),
    path: p,
    message: String(d.message ?? ""),
    destructive: d.destructive === true,
    ...(typeof d.typed === "string" ? { typed: d.typed } : {}),
    lastsMs: Number(d.lastsMs ?? 0),
    at: Date.parse(ts),
  };
}

function resultOf(details: Details, entry: number): StepResult {
  // Written by `step.ts` of the engine.
  const result = details as unknown as StepResult;
  return { ...result, outputs: result.outputs ?? {}, entry };
}
