/** Commands that change something while the node goes on working: nothing to ask, nothing to journal. */

import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import type { Context } from "./command.ts";
import { duration, type Flag, toggle } from "./inputs.ts";
import {
  clockOf,
  noJournal,
  type OperateInputs,
  type OperateOptions,
  type OutcomeRow,
  runAll,
} from "./operate.ts";

/** Values of {@linkcode actInputs}. */
export type ActInputs = Pick<OperateInputs, "wait" | "timeout">;

/**
 * Makes the flags of such a command.
 *
 * @param longest Longest wait unless told otherwise, such as `30s`.
 */
export function actInputs(
  longest: string,
): { readonly [Name in keyof ActInputs]: Flag<ActInputs[Name]> } {
  return {
    wait: toggle("wait until it is done", { initial: true }),
    timeout: duration("longest wait", { initial: longest }),
  };
}

/**
 * Does an operation of effect `write` on every selected node.
 *
 * @param context Flags, nodes, world.
 * @param options What to do.
 * @returns Rows of nodes on which it ended well, as they end.
 * @throws {NodesError} Naming the others.
 */
export async function* act(
  context: Context<ActInputs>,
  { operation, input }: OperateOptions,
): AsyncGenerator<OutcomeRow> {
  const { nodes, world, input: { wait, timeout } } = context;
  const names = await nodes.names();
  const clock = clockOf(world);
  using view = viewCluster(nodes, clock);
  yield* runAll(context, {
    operation,
    input,
    names,
    endpoints: [],
    journal: noJournal,
    view,
    clock,
    wait,
    timeout,
    allow: [],
  });
}
