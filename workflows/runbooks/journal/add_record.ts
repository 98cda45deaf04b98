import {
  type BlockPhase,
  type InstanceHistory,
  instanceKey,
  type NodeHistory,
  type OpenQuestion,
  type OperatorDecision,
  type RunHistory,
  type StepResult,
} from "./history.ts";
import type { Details, JournalRecord } from "./record.ts";
import { keepResidue } from "./residue.ts";

/** Adds a record. `history`: what was before; changed in place, since journals are long. */
export function addRecord(history: RunHistory, record: JournalRecord): void {
  const { type, path = "", node, entry = 0, data = {}, ts } = record;
  const key = instanceKey(path, node);
  history.lastAt = ts;
  const change = (part: Partial<InstanceHistory>) =>
    history.instances.set(key, { ...history.instances.get(key), ...part });
  /** The same, and what an operator wanted done again has been started. */
  const begin = (part: Partial<InstanceHistory>) => {
    const { decision, ...known } = history.instances.get(key) ?? {};
    const stays = decision !== undefined && decision.verdict !== "redo";
    const rest = stays ? { decision } : {};
    history.instances.set(key, { ...known, ...rest, ...part });
  };
  switch (type) {
    case "run.header":
      history.header = String(data.sha256);
      return;
    case "run.start":
      history.start = data;
      history.startedAt = ts;
      history.entries = 1;
      return;
    case "run.resume":
      history.entries = Number(data.entry);
      history.end = undefined;
      history.endedAt = "";
      return;
    case "rebase":
      history.rebased = String(data.ir);
      return;
    case "intent": {
      const { key: attempt = null, input = null, operation = "", target } =
        data;
      begin({
        intent: {
          key: attempt,
          input,
          operation: String(operation),
          entry,
          acknowledged: false,
          steps: [],
          sentAt: Date.parse(ts),
          ...(typeof target === "string" ? { target } : {}),
        },
      });
      return;
    }
    case "step": {
      const intent = history.instances.get(key)?.intent;
      if (intent !== undefined) {
        const steps = [...intent.steps, String(data.step)];
        change({ intent: { ...intent, steps, sentAt: Date.parse(ts) } });
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
      if (data.state === "ok" && typeof data.module === "string") {
        history.modules.add(data.module);
        keepResidue(
          history.residue,
          data.module,
          String(data.target ?? node ?? ""),
        );
      }
      begin({ result: resultOf(data, entry) });
      return;
    case "when":
      change({ when: { value: data.value === true, entry } });
      return;
    case "sleep":
      change({ until: Number(data.until) });
      return;
    case "phase":
      // Written by `block.ts` of the engine.
      change({ phase: { ...(data as unknown as BlockPhase), entry } });
      // Written by `block.ts` of the engine.
      if (data.name === "undone") {
        undo(history, {
          block: path,
          node,
          ...data as unknown as Undone,
        });
      }
      return;
    case "decision":
      // Written from the options of `resume`.
      change({ decision: data as unknown as OperatorDecision });
      return;
    case "enter":
      // All of it is written by `for_each.ts` of the engine.
      history.nodes.set(key, {
        ...(data as unknown as NodeHistory),
        entry,
      });
      return;
    case "node": {
      const { since } = history.nodes.get(key) ?? {};
      const ended = data as unknown as NodeHistory;
      const kept = since === undefined ? {} : { since };
      history.nodes.set(key, { ...kept, ...ended, entry });
      return;
    }
    case "group":
      // A list of names is all this record ever holds.
      history.groups.set(path, data.nodes as readonly string[]);
      history.groupEntries.set(path, entry);
      return;
    case "decide":
      history.decisions.set(path, data.value ?? null);
      return;
    case "approval.requested":
      history.asked.set(path, questionOf(record));
      return;
    case "approval.answered":
      history.asked.delete(path);
      history.approvals.set(path, {
        approved: data.approved === true,
        destructive: data.destructive === true,
        by: String(data.by ?? ""),
        at: Date.parse(ts),
      });
      return;
    case "set":
      history.set.set(path, data.value ?? null);
      return;
    case "drop":
      history.dropped.set(node ?? "", String(data.reason));
      return;
    case "secret":
      history.secrets.push(data);
      return;
    case "lease":
      history.lease = data;
      return;
    case "run.end":
      history.end = data;
      history.endedAt = ts;
      return;
    case "checkpoint":
    case "gate":
    case "stop":
      return;
  }
}

function questionOf(
  { path = "", data = {}, ts }: JournalRecord,
): OpenQuestion {
  return {
    tag: String(data.tag),
    path,
    message: String(data.message ?? ""),
    destructive: data.destructive === true,
    ...(typeof data.typed === "string" ? { typed: data.typed } : {}),
    lastsMs: Number(data.lastsMs ?? 0),
    at: Date.parse(ts),
  };
}

function resultOf(details: Details, entry: number): StepResult {
  // Written by `step.ts` of the engine.
  const result = details as unknown as StepResult;
  return { ...result, outputs: result.outputs ?? {}, entry };
}

interface Undone {
  readonly nodes?: readonly string[];
  readonly rescue?: readonly string[];
}

/**
 * Forgets that steps in a block ended well on the nodes that its rescue has changed; what is in doubt stays so.
 *
 * @param history What is known; changed in place.
 * @param undone Path of the block, the node whose block it is, if it is one's, and what its rescue has changed.
 */
export function undo(
  { instances, nodes }: RunHistory,
  { block, node, nodes: changed = [], rescue = [] }: Undone & {
    readonly block: string;
    readonly node: string | undefined;
  },
): void {
  const at = block === "" ? "" : `${block}/`;
  const isIn = (key: string) =>
    key.startsWith(at) &&
    !rescue.includes(/[^/@]*/.exec(key.slice(at.length))?.[0] ?? "");
  for (const [key, instance] of instances) {
    if (!isIn(key)) continue;
    const [, own] = key.split("@");
    // Steps of the cluster lead to the nodes again; what they have sent themselves stays.
    const isUndone = own === undefined
      ? node === undefined && instance.intent === undefined
      : own === node || node === undefined && changed.includes(own);
    if (!isUndone) continue;
    const { result, when: _when, until: _until, intent, ...rest } = instance;
    // A result of before is not an end of what was sent then.
    const kept = result === undefined
      ? {}
      : { result: { ...result, state: "failed", code: "cancelled" } as const };
    const sent = intent === undefined ? {} : {
      intent: result === undefined
        ? intent
        : { ...intent, undone: true as const },
    };
    instances.set(key, { ...rest, ...sent, ...kept });
  }
  if (node !== undefined) return;
  for (const [key, known] of nodes) {
    const [, own = ""] = key.split("@");
    if (!isIn(key) || !changed.includes(own)) continue;
    nodes.set(key, {
      entry: known.entry,
      state: "failed",
      code: "cancelled",
      message: "rolled back",
    });
  }
}
