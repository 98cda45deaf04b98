/** Where the walk is: path, node, values in scope. */

import type { Json } from "../../operations/operation.ts";
import type { Scope } from "../facts.ts";
import type { Module } from "../module.ts";
import type { Group, Runbook } from "../runbook.ts";

/** A runbook that is walked: the one that was started, or one it uses. */
export interface Book {
  /** The runbook. */
  readonly runbook: Runbook;
  /** Path of the step that uses it; empty for the one that was started. */
  readonly path: string;
  /** Values of its inputs. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Values of its constants. */
  readonly vars: Readonly<Record<string, Json>>;
  /** Nodes of its groups that were resolved when the run was planned. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

/** What a node does not give away between two steps. */
export interface NodeCommitment {
  /** True when the run may not stop here: between an install and the restart. */
  carrying: boolean;
}

/** Where the walk is. */
export interface Frame {
  /** The runbook. */
  readonly book: Book;
  /** Path of the steps around; empty at the top. */
  readonly path: string;
  /** Node, inside a fan-out. */
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
  /** What the node carries. */
  readonly position: NodeCommitment;
}

/** Path of a step. */
export function pathIn(frame: Pick<Frame, "path">, id: string): string {
  return frame.path === "" ? id : `${frame.path}/${id}`;
}

/** A group of the runbook; the loader has checked that it is there. */
export function groupIn({ book }: Frame, name: string): Group {
  const group = book.runbook.groups[name];
  if (group === undefined) throw new TypeError(`No group "${name}"`);
  return group;
}

/** A step that runs a module: what is done, and to which node. */
export interface StepCall {
  /** Path of the step. */
  readonly path: string;
  /** The module. */
  readonly module: Module;
  /** What it is given. */
  readonly input: Readonly<Record<string, Json>>;
  /** Node it is done to; empty for a module of the cluster. */
  readonly target: string;
}
