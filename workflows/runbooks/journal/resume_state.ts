/** What a run that continues has to know of what was done before. */

import type { RunReport } from "../event.ts";
import type { InstanceHistory, RunHistory } from "./history.ts";

/** Path and node of a key of the history. */
export function splitKey(
  key: string,
): { readonly path: string; readonly node: string } {
  const at = key.indexOf("@");
  return at < 0
    ? { path: key, node: "" }
    : { path: key.slice(0, at), node: key.slice(at + 1) };
}

/** Steps that something was started in, with those around them, on the node and on none. */
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

/** The same for steps that a node was asked to change something in. */
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
 * Remembers that something was started.
 *
 * @param touched What is known; changed in place.
 * @param node Its node; empty outside of fan-outs.
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
    // So is all around it.
    if (touched.has(there)) return;
    touched.add(around);
    touched.add(there);
  }
}

/** Blocks that were left in their `rescue` or `always`, by node. */
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
  // The end of the run, or of the node, ends its own block.
  if (history.end !== undefined) open.delete("");
  return open;
}

/** Codes after which it is not known whether a node is still at it. */
const open: ReadonlySet<string> = new Set([
  "deadline",
  "never-returned",
  "in-doubt",
  "unavailable",
  // Parts of it may have been sent before.
  "lease-lost",
]);

/** Whether a failure leaves open what has become of what was sent. */
export function leavesOpen(code: string): boolean {
  return open.has(code);
}

/** Whether it is not known what has become of what was sent last. */
export function isOpen({ intent, result }: InstanceHistory): boolean {
  if (intent === undefined) return false;
  return result === undefined || result.entry < intent.entry ||
    result.state === "failed" && leavesOpen(result.code ?? "");
}

/** Steps that an operator wants done again, by their keys. */
export function listRedone({ instances }: RunHistory): readonly string[] {
  return [...instances].flatMap(([key, { decision }]) =>
    decision?.verdict === "redo" ? [key] : []
  );
}

/**
 * Whether something inside of a step is to be done again.
 *
 * @param node Its node; absent outside of fan-outs, where all nodes count.
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

/** Steps that an operator has omitted. */
export function listSkipped(history: RunHistory): RunReport["skipped"] {
  return [...history.instances].flatMap(([key, { decision }]) => {
    if (decision?.verdict !== "skip") return [];
    const { path, node } = splitKey(key);
    const { reason } = decision;
    return [{ step: path, ...(node === "" ? {} : { node }), reason }];
  });
}
