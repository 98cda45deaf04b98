/** Effect of a rescue on the history of a run. */

import type { RunHistory } from "./history.ts";

interface Undone {
  readonly nodes?: readonly string[];
  readonly rescue?: readonly string[];
}

/**
 * Drops results of successful steps in a block on the nodes that its rescue has changed; steps in doubt stay in doubt.
 *
 * @param history History of the run; changed in place.
 * @param undone Path of the block, its node if it has one, and the changes of its rescue.
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
    // Cluster steps run on the nodes again, unless they have sent a request themselves.
    const isUndone = own === undefined
      ? node === undefined && instance.intent === undefined
      : own === node || node === undefined && changed.includes(own);
    if (!isUndone) continue;
    const { result, when: _when, until: _until, intent, ...rest } = instance;
    // The earlier result no longer counts as the result of its request.
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
