/** Changes of the membership of a cluster, for `membership: frozen`. */

import type { Engine } from "./engine.ts";

/**
 * Finds nodes that have joined or left since the run started.
 *
 * @returns One line; `undefined` when none has, or when the runbook allows it.
 */
export async function changedMembers(
  { runbook, facts, members }: Engine,
): Promise<string | undefined> {
  if (runbook.policy.membership !== "frozen") return undefined;
  const { nodes } = await facts.recent();
  const now = new Set(nodes.map(({ name }) => name));
  const joined = [...now].filter((name) => !members.has(name));
  const left = [...members].filter((name) => !now.has(name));
  const parts = [
    joined.length > 0
      ? `joined since the run started: ${joined.join(", ")}`
      : "",
    left.length > 0 ? `left since the run started: ${left.join(", ")}` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join("; ");
}
