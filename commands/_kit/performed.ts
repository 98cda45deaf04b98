/** What a command that changes something does as a step of a runbook. */

import { NodesError, OutcomeError } from "../../errors.ts";
import type { Context } from "./command.ts";
import { type OperateOptions, type OutcomeRow, statusOf } from "./operate.ts";

/**
 * Does an operation through the arbiter and the journal of a run.
 *
 * @param context Nodes, and what performs it.
 * @param options What to do.
 * @throws {NodesError} Naming the node on which it did not end well.
 */
export async function* performed(
  { nodes, perform }: Pick<Context<unknown>, "nodes" | "perform">,
  options: OperateOptions,
): AsyncGenerator<OutcomeRow> {
  if (perform === undefined) throw new TypeError("No run performs this");
  const names = options.names ?? await nodes.names();
  for (const node of names) {
    const operation = options.operationOf?.(node) ?? options.operation;
    // A step is about one node; more come from commands that choose several.
    const verdict = await perform(operation, options.input);
    const { outcome, reason } = verdict;
    const status = statusOf(outcome);
    if (status === undefined) yield { node, outcome, reason };
    else {
      const error = new OutcomeError(outcome, reason, status);
      throw new NodesError(new Map([[node, error]]), names.length);
    }
  }
}
