import type { Json } from "../../../lib/json.ts";
import type { Scope } from "../../runbook_cel/facts.ts";
import type { Module } from "../../modules/module.ts";
import { groupKey } from "../journal/history.ts";
import type { NodeGroup, Runbook } from "../runbook.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type { NewStepEvent } from "../event.ts";
import type { NewRecord } from "../journal/record.ts";
import type { EngineOptions } from "./engine_options.ts";

/** A runbook that is walked: the one that was started, or one it uses. */
export interface RunbookScope {
  readonly runbook: Runbook;
  /** Path of the step that uses it; empty for the one that was started. */
  readonly path: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly vars: Readonly<Record<string, Json>>;
  /** Nodes of its groups that were resolved when the run was planned. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

/** Where the walk is. */
export interface Frame {
  readonly book: RunbookScope;
  /** Path of the steps around; empty at the top. */
  readonly path: string;
  readonly node?: string;
  /** How often the block of the node, or the run, was entered. */
  readonly entry: number;
  /** Entry from which on it counts what a node was armed with; the first when absent. */
  readonly since?: number;
  /** Outputs of the steps that have ended, by id; steps add theirs. */
  readonly outputs: Map<string, Json>;
  /** Outputs of the scopes around. */
  readonly around: readonly ReadonlyMap<string, Json>[];
  /** What went wrong, in `rescue` and behind it. */
  readonly error?: NonNullable<Scope["error"]>;
  /** True in `rescue` and `always`: their results count for one entry only. */
  readonly fresh: boolean;
  /** True in `always`, which a wish to stop does not end. */
  readonly finishing: boolean;
  /**
   * Nodes, by name or address, on which this block has changed something; in `rescue` and `always` the block that
   * these belong to. Absent where nothing runs yet.
   */
  readonly changed?: () => ReadonlySet<string>;
  /** Whether the run may stop here: not between an install and the restart. */
  readonly stopPoint: { isSafe: boolean };
}

/** The frame of a runbook that is entered at a path. */
export function makeFrame(book: RunbookScope, path = ""): Frame {
  return {
    book,
    path,
    entry: 1,
    outputs: new Map(),
    around: [],
    fresh: false,
    finishing: false,
    stopPoint: { isSafe: true },
  };
}

/** Path of a step. */
export function pathIn(frame: Pick<Frame, "path">, id: string): string {
  return frame.path === "" ? id : `${frame.path}/${id}`;
}

/** A group of the runbook; the loader has checked that it is there. */
export function groupIn({ book }: Frame, name: string): NodeGroup {
  const group = book.runbook.groups[name];
  if (group === undefined) throw new TypeError(`No group "${name}"`);
  return group;
}

/** Nodes of a group as it was resolved last; `self` is the node of the frame. */
export function nodesIn(
  groups: ReadonlyMap<string, readonly string[]>,
  { book, node }: Pick<Frame, "book" | "node">,
  name: string,
): Promise<readonly string[]> {
  return Promise.resolve(
    name === "self" && node !== undefined
      ? [node]
      : groups.get(groupKey(book, name)) ?? [],
  );
}

/** The frame of a step that runs a module, with its own path: what is done, and to which node. */
export interface StepCall extends Frame {
  readonly module: Module;
  readonly input: Readonly<Record<string, Json>>;
  /** Node it is done to; empty for a module of the cluster. */
  readonly target: string;
  readonly attempt: number;
  /** How the attempt before it failed, in this process; absent for the first. */
  readonly before?: ErrorCode | undefined;
}

/** Writes a record of a step, or a block, on the node of the walk. */
export async function append(
  { journal }: Pick<EngineOptions, "journal">,
  { node, entry }: Pick<Frame, "node" | "entry">,
  record: NewRecord,
): Promise<void> {
  await journal.append({ ...record, ...node !== undefined && { node }, entry });
}

/** Reports who watches something of a step, on the node of the walk. */
export function emitStep(
  { emit }: Pick<EngineOptions, "emit">,
  { path, node }: Pick<Frame, "path" | "node">,
  event: NewStepEvent,
): void {
  // Where it happened comes first, in every line of events.
  const place = { type: event.type, path, ...node !== undefined && { node } };
  emit({ ...place, ...event });
}
