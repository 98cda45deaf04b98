/** What a command that changes something does as a step of a runbook. */

import { RefusedError } from "../../errors.ts";
import type { Context } from "./command.ts";
import {
  type OperateOptions,
  type OutcomeRow,
  statusOf,
} from "../../workflows/operations/run_on_nodes.ts";

/**
 * Does an operation through the arbiter and the journal of a run. A bad end gives no row: the run
 * knows of it already.
 *
 * @param context Nodes, and what performs it.
 * @param options What to do.
 * @throws {RefusedError} If it is about several nodes, or a default node of the context; a step works on one it names.
 */
export async function* performed(
  { nodes, perform, globals }:
    & Pick<Context<unknown>, "nodes" | "perform">
    & Partial<Pick<Context<unknown>, "globals">>,
  { names: given, operation, operationOf, input }: OperateOptions,
): AsyncGenerator<OutcomeRow> {
  if (perform === undefined) throw new TypeError("No run performs this");
  const names = given ?? await nodes.names();
  const [node = ""] = names;
  if (names.length !== 1) {
    throw new RefusedError(
      `A step works on one node, and "${operation.name}" is asked for on ${names.length}`,
      { hint: "Put the step into a forEach, or name one under with.node" },
    );
  }
  if (given === undefined && globals?.nodes.length === 0) {
    throw new RefusedError(
      `The step names no node, and "${operation.name}" is not done to the default node of the context`,
      { hint: "Put the step into a forEach, or name one under with.node" },
    );
  }
  const { outcome, reason } = await perform(
    operationOf?.(node) ?? operation,
    input,
  );
  if (statusOf(outcome) === undefined) yield { node, outcome, reason };
}
