/** State of a run that a resume needs. */

import type { RunReport } from "../event.ts";
import type { InstanceHistory, RunHistory } from "./history.ts";

/** Splits a key of the history into path and node. */
export function splitKey(
  key: string,
): { readonly path: string; readonly node: string } {
  const at = key.indexOf("@");
  return at < 0
    ? { path: key, node: "" }
    : { path: key.slice(0, at), node: key.slice(at + 1) };
}

/** Lists steps that have started, with their parents, for each node and without one. */
export function listTouched(history: RunHistory): Set<string> {
  const touched = new Set<string>();
  for (const [key, { intent, result }] of history.instances) {
    const isWork = intent !== undefined ||
      result?.state === "ok" && Object.keys(result.outputs).length > 0;
    if (!isWork) continue;
    const { path, node } = splitKey(key);
    touch(touched, path, node);
  }
  return touched;
}

/** Lists steps that requested a change on a node, with their parents. */
export function listChanged({ instances }: RunHistory): Set<string> {
  const changed = new Set<string>();
  for (const [key, { intent }] of instances) {
    if (intent === undefined) continue;
    const { path, node } = splitKey(key);
    touch(changed, path, node);
  }
  return changed;
}

/**
 * Records that a step has started.
 *
 * @param touched Steps that have started; changed in place.
 * @param node Its node; empty outside fan-outs.
 */
export function touch(
  touched: Set<string>,
  path: string,
  node: string,
): void {
  const parts = path.split("/");
  for (let length = parts.length; length > 0; length--) {
    const around = parts.slice(0, length).join("/");
    const there = node === "" ? around : `${around}@${node}`;
    // Its parents are in it, too.
    if (touched.has(there)) return;
    touched.add(around);
    touched.add(there);
  }
}

/** Blocks that were interrupted in `rescue` or `always`, by node. */
export function findOpenPhases(
  history: RunHistory,
): ReadonlyMap<
  string,
  readonly { readonly path: string; readonly entry: number }[]
> {
  const open = new Map<string, { path: string; entry: number }[]>();
  for (const [key, { phase, result }] of history.instances) {
    if (phase === undefined || phase.name === "left") continue;
    if (result !== undefined && result.entry >= phase.entry) continue;
    const { path, node } = splitKey(key);
    const list = open.get(node) ?? [];
    list.push({ path, entry: phase.entry });
    open.set(node, list);
  }
  // The run, or the node, has finished, and with it its own block.
  if (history.end !== undefined) open.delete("");
  return open;
}

/** Codes after which the node may still be working on the request. */
const open: ReadonlySet<string> = new Set([
  "deadline",
  "never-returned",
  "in-doubt",
  "unavailable",
  // Parts of it may have been sent before.
  "lease-lost",
]);

/** Reports whether the result of the request is unknown after a failure. */
export function leavesOpen(code: string): boolean {
  return open.has(code);
}

/** Reports whether the result of the last request is unknown. */
export function isOpen({ intent, result }: InstanceHistory): boolean {
  if (intent === undefined) return false;
  return result === undefined || result.entry < intent.entry ||
    result.state === "failed" && leavesOpen(result.code ?? "");
}

/** Keys of steps that an operator wants to retry. */
export function listRedone({ instances }: RunHistory): readonly string[] {
  return [...instances].flatMap(([key, { decision }]) =>
    decision?.verdict === "redo" ? [key] : []
  );
}

/**
 * Reports whether a step inside another is to be retried.
 *
 * @param node Its node; absent outside fan-outs, where all nodes count.
 */
export function isRedoneIn(
  redone: readonly string[],
  path: string,
  node: string | undefined,
): boolean {
  return redone.some((key) => {
    const inner = splitKey(key);
    return inner.path.startsWith(`${path}/`) &&
      (node === undefined || inner.node === node);
  });
}

/** Lists steps that an operator has skipped. */
export function listSkipped(history: RunHistory): RunReport["skipped"] {
  return [...history.instances].flatMap(([key, { decision }]) => {
    if (decision?.verdict !== "skip") return [];
    const { path, node } = splitKey(key);
    const { reason } = decision;
    return [{ step: path, ...(node === "" ? {} : { node }), reason }];
  });
}
