import { ConfigError } from "../../../errors.ts";
import type { FoundNames } from "../language/lookup.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";

/** Conditions over nodes name no modules and no checks. */
const nothing: FoundNames = {
  module: () => undefined,
  modules: [],
  check: () => undefined,
  checks: [],
};

interface LimitSeen {
  readonly facts: Facts;
  /** The runbook, whose names they see. */
  readonly runbook: Runbook;
  /** Present moment, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Finds the nodes a run is limited to.
 *
 * @param words Names or addresses of nodes, or conditions over `node`.
 * @returns `undefined` when there is no limit.
 * @throws {ConfigError} If a word is neither, or nothing is left.
 */
export function parseLimit(
  words: readonly string[],
  { facts: { nodes, cluster }, runbook, now }: LimitSeen,
): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const evaluator = makeEvaluator(nothing, {
    reached: () => false,
    now,
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
    throw new ConfigError(`--limit: no node matches ${words.join(", ")}`);
  }
  return [...new Set(chosen.map(({ name }) => name))];
}
