/** What a rescue takes back of what is known. */

import type { RunHistory } from "./history.ts";

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
