/** Which nodes a run is limited to. */

import { ConfigError } from "../../../errors.ts";
import type { Found } from "../../../workflows/runbooks/load/lookup.ts";
import type { Facts } from "../../../workflows/runbooks/read_facts.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import { makeEvaluator } from "../../../workflows/runbooks/typing/evaluator.ts";
import { finders } from "../_load.ts";

const nothing: Found = { ...finders, module: () => undefined };

/**
 * Finds the nodes a run is limited to.
 *
 * @param words Names or addresses of nodes, or conditions over `node`.
 * @param facts The cluster.
 * @param runbook The runbook, whose names conditions see.
 * @returns `undefined` when there is no limit.
 * @throws {ConfigError} If a word is neither, or nothing is left.
 */
export function limitOf(
  words: readonly string[],
  { nodes, cluster }: Facts,
  runbook: Runbook,
): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const evaluator = makeEvaluator(nothing, {
    reached: () => false,
    now: Date.now,
  });
  const empty = { inputs: {}, vars: {}, groups: {}, steps: {}, decisions: {} };
  const standing = { runbook, book: "", path: "" };
  const chosen = words.flatMap((word) => {
    const named = nodes.filter(({ name, address }) =>
      name === word || address === word
    );
    if (named.length > 0) return named;
    if (/^[\w.:-]+$/.test(word)) {
      throw new ConfigError(`--limit: there is no node "${word}"`, {
        hint: `Nodes: ${nodes.map(({ name }) => name).join(", ")}`,
      });
    }
    return nodes.filter((node) =>
      evaluator.evaluate(word, { ...empty, cluster, node }, standing) === true
    );
  });
  if (chosen.length === 0) {
    throw new ConfigError(`--limit: no node fits ${words.join(", ")}`);
  }
  return [...new Set(chosen.map(({ name }) => name))];
}
