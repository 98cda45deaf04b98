import type { Json } from "../../../lib/json.ts";
import type { Scope } from "../../runbook_cel/facts.ts";
import type { Module } from "../../modules/module.ts";
import { groupKey } from "../journal/history.ts";
import type { NodeGroup, Runbook } from "../runbook.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type { NewStepEvent } from "../event.ts";
import type { NewRecord } from "../journal/record.ts";
import type { EngineOptions } from "./engine_options.ts";

/** A running runbook: the one that was started, or one it uses. */
export interface RunbookScope<Value = Json> {
  readonly runbook: Runbook;
  /** Path of the step that uses it; empty for the one that was started. */
  readonly path: string;
  readonly inputs: Readonly<Record<string, Value>>;
  readonly vars: Readonly<Record<string, Value>>;
}

/** Position of a run, or of a plan, which has values that only a run knows. */
export interface Frame<Value = Json> {
  readonly book: RunbookScope<Value>;
  /** Path of the steps around; empty at the top. */
  readonly path: string;
  readonly node?: string;
  /** Number of times that the node's block, or the run, was entered. */
  readonly entry: number;
  /** Entry from which installs of the node count; default the first. */
  readonly since?: number;
  /** Outputs of finished steps, by id; steps add theirs. */
  readonly outputs: Map<string, Value>;
  /** Outputs of the scopes around. */
  readonly around: readonly ReadonlyMap<string, Value>[];
  /** The failure, in `rescue` and after it. */
  readonly error?: NonNullable<Scope["error"]>;
  /** True in `rescue` and `always`: their results count for one entry only. */
  readonly fresh: boolean;
  /** True in `always`, which a stop request does not end. */
  readonly finishing: boolean;
  /**
   * Nodes, by name or address, that this block has changed; in `rescue` and `always`, the block that
   * they belong to. Absent before the run.
   */
  readonly changed?: () => ReadonlySet<string>;
  /** False between an install and the restart, where the run must not stop. */
  readonly stopPoint: { isSafe: boolean };
}

/** Makes the frame of a runbook entered at a path. */
export function makeFrame<Value = Json>(
  book: RunbookScope<Value>,
): Frame<Value> {
  return {
    book,
    path: book.path,
    entry: 1,
    outputs: new Map(),
    around: [],
    fresh: false,
    finishing: false,
    stopPoint: { isSafe: true },
  };
}

/** The frame inside a block, whose steps have outputs of their own. */
export function enterBlock<Value>(
  frame: Frame<Value>,
  path: string,
): Frame<Value> {
  const { outputs, around } = frame;
  return { ...frame, path, outputs: new Map(), around: [...around, outputs] };
}

/** The frame of a node inside a fan-out. */
export function enterNode<Value>(
  frame: Frame<Value>,
  path: string,
  node: string,
): Frame<Value> {
  return { ...enterBlock(frame, path), node, stopPoint: { isSafe: true } };
}

/** The frame inside a used runbook, which sees no outputs and changes of the runbook around it. */
export function enterUse<Value>(
  { changed: _, ...frame }: Frame<unknown>,
  book: RunbookScope<Value>,
): Frame<Value> {
  const { path } = book;
  return { ...frame, book, path, outputs: new Map(), around: [] };
}

/** Path of a step. */
export function pathIn(frame: Pick<Frame, "path">, id: string): string {
  return frame.path === "" ? id : `${frame.path}/${id}`;
}

/** Finds a group of the runbook; the loader has checked that it exists. */
export function groupIn({ book }: Frame<unknown>, name: string): NodeGroup {
  const group = book.runbook.groups[name];
  if (group === undefined) throw new TypeError(`No group "${name}"`);
  return group;
}

/** Nodes of a group as last resolved; `self` is the node of the frame. */
export function nodesIn(
  groups: ReadonlyMap<string, readonly string[]>,
  { book, node }: Pick<Frame<unknown>, "book" | "node">,
  name: string,
): Promise<readonly string[]> {
  return Promise.resolve(
    name === "self" && node !== undefined
      ? [node]
      : groups.get(groupKey(book, name)) ?? [],
  );
}

/** Call of a module by a step, with the path of the step. */
export interface StepCall extends Frame {
  readonly module: Module;
  readonly input: Readonly<Record<string, Json>>;
  /** Node to run on; empty for a cluster-wide module. */
  readonly target: string;
  readonly attempt: number;
  /** Error of the previous attempt in this process; absent for the first. */
  readonly before?: ErrorCode | undefined;
}

/** Appends a record of a step or block, for the node of the frame. */
export async function append(
  { journal }: Pick<EngineOptions, "journal">,
  { node, entry }: Pick<Frame, "node" | "entry">,
  record: NewRecord,
): Promise<void> {
  const { type, path } = record;
  // The location comes first, in every line of the journal.
  const place = { type, path, ...node !== undefined && { node }, entry };
  await journal.append({ ...place, ...record });
}

/** Emits an event of a step, for the node of the frame. */
export function emitStep(
  { emit }: Pick<EngineOptions, "emit">,
  { path, node }: Pick<Frame, "path" | "node">,
  event: NewStepEvent,
): void {
  // The location comes first, in every line of events.
  const place = { type: event.type, path, ...node !== undefined && { node } };
  emit({ ...place, ...event });
}
