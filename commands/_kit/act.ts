/** Commands that change something while the node goes on working: nothing to ask, nothing to journal. */

import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import type { BudgetInputs } from "./budget_input.ts";
import type { Context } from "./command.ts";
import { duration, type Flag } from "./inputs.ts";
import {
  clockOf,
  noJournal,
  type OperateInputs,
  operateInputs,
  type OperateOptions,
  type OutcomeRow,
  runAll,
  type RunAllOptions,
} from "./operate.ts";
import { performed } from "./performed.ts";
import { refuseUndeclared } from "./target_nodes.ts";

/** Values of {@linkcode actInputs}. */
export interface ActInputs extends Pick<OperateInputs, "wait" | "debug"> {
  /** `--timeout`, in milliseconds. */
  readonly timeout: number;
}

/** What such commands are given; those with `--debug` or `--max-unavailable` tell that, too. */
export type ActContext = Context<
  & Pick<OperateInputs, "wait" | "timeout">
  & Partial<Pick<ActInputs, "debug">>
  & Partial<BudgetInputs>
>;

/**
 * Makes the flags of such a command.
 *
 * @param longest Longest wait unless told otherwise, such as `30s`.
 */
export function actInputs(
  longest: string,
): { readonly [Name in keyof ActInputs]: Flag<ActInputs[Name]> } {
  return {
    wait: operateInputs.wait,
    timeout: duration("longest wait", { initial: longest }),
    debug: operateInputs.debug,
  };
}

/**
 * Does an operation of effect `write` on every selected node.
 *
 * @param context Flags, nodes, environment.
 * @param options What to do.
 * @returns Rows of nodes on which it ended well, as they end.
 * @throws {NodesError} Naming the others.
 */
export async function* act(
  context: ActContext,
  options: OperateOptions & Pick<RunAllOptions, "nodeTimeout">,
): AsyncGenerator<OutcomeRow> {
  if (context.perform !== undefined) return yield* performed(context, options);
  const { operation } = options;
  const { nodes, environment, input: flags } = context;
  refuseUndeclared(context, operation);
  const names = await nodes.names();
  const clock = clockOf(environment);
  using view = viewCluster(nodes, clock);
  yield* runAll(context, {
    ...options,
    names,
    endpoints: [],
    journal: noJournal,
    view,
    clock,
    wait: flags.wait,
    timeout: flags.timeout,
    debug: flags.debug ?? false,
    maxUnavailable: flags.maxUnavailable,
    allow: [],
  });
}
