import { ConfigError } from "../../../errors.ts";
import type { FoundNames } from "../language/lookup.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";

/** Conditions over nodes refer to no modules and no checks. */
const nothing: FoundNames = {
  module: () => undefined,
  modules: [],
  check: () => undefined,
  checks: [],
};

interface LimitSeen {
  readonly facts: Facts;
  /** The runbook; its names are in scope. */
  readonly runbook: Runbook;
  /** Current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Parses the node limit of a run (`--limit`).
 *
 * @param words Names or addresses of nodes, or conditions over `node`.
 * @returns `undefined` without a limit.
 * @throws {ConfigError} If a word is neither, or no node matches.
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
