/** Commands that change nodes: flags, journal, progress and outcome. */

import { locateOperations } from "../../config/osconfig/location.ts";
import { table, type View } from "../../terminal/view.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import type { Journal } from "../../workflows/operations/journal.ts";
import {
  beginJournal,
  type OpenJournal,
} from "../../workflows/operations/journal_file.ts";
import {
  clockOf,
  nodeWaitMs,
  type OperateOptions,
  type OutcomeRow,
  runOnNodes,
} from "../../workflows/operations/run_on_nodes.ts";
import {
  type BudgetInputs,
  unavailableLimit,
  waitFlag,
} from "./budget_input.ts";
import type { Context } from "./command.ts";
import { type GuardInputs, guardInputs, passGuard } from "./guard.ts";
import { duration, type Flag, toggle } from "./inputs.ts";
import type { MaintenanceInputs } from "./maintenance.ts";
import { currentOsconfig } from "./osconfig.ts";
import { performed } from "./performed.ts";
import { refuseUndeclared } from "./target_nodes.ts";

/** Values of {@linkcode operateInputs}. */
export interface OperateInputs extends GuardInputs {
  /** `--wait`. */
  readonly wait: boolean;
  /** `--timeout`, in milliseconds, for all nodes together; `undefined` for 30 minutes for each. */
  readonly timeout: number | undefined;
  /** `--debug`. */
  readonly debug: boolean;
}

/** Flags of commands whose end is worth waiting for. */
export const operateInputs: {
  readonly [Name in keyof OperateInputs]: Flag<OperateInputs[Name]>;
} = {
  wait: toggle("wait until it is done", { initial: true }),
  timeout: waitFlag("30m0s"),
  debug: toggle("wait, and show the kernel log of each node meanwhile"),
  ...guardInputs,
};

/** Values of {@linkcode actInputs}. */
export interface ActInputs extends Pick<OperateInputs, "wait" | "debug"> {
  /** `--timeout`, in milliseconds. */
  readonly timeout: number;
}

/**
 * Makes the flags of commands after which nodes go on working: there is nothing to ask.
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

/** How outcomes are shown. */
export const outcomeView: View<OutcomeRow> = table({
  NODE: ({ node }) => node,
  OUTCOME: ({ outcome }) => outcome,
  REASON: ({ reason }) => reason,
});

/** What commands that change nodes are given; what they have no flag for is as if it was not given. */
export type OperateContext = Context<
  & Partial<OperateInputs>
  & Partial<Pick<MaintenanceInputs, "insecure">>
  & Partial<BudgetInputs>
>;

/**
 * Does an operation on every selected node.
 *
 * @param context Flags, nodes, environment.
 * @param options What to do.
 * @returns Rows of nodes on which it ended well, as they end.
 * @throws {NodesError} Naming the others.
 */
export async function* operate(
  context: OperateContext,
  options: OperateOptions,
): AsyncGenerator<OutcomeRow> {
  if (context.perform !== undefined) return yield* performed(context, options);
  const { operation, input } = options;
  const { nodes, environment, input: given } = context;
  refuseUndeclared(context, operation);
  const names = options.names ?? await nodes.names();
  const clock = clockOf(environment);
  using view = viewCluster(nodes, clock);
  const flags: Flags = {
    ...defaults,
    timeout: undefined,
    ...given,
  };
  const maxUnavailable = unavailableLimit(
    { input: flags, environment },
    operation,
    names.length,
  );
  const all = { ...context, input: { ...flags, maxUnavailable } };
  const named = options.names !== undefined || context.globals.nodes.length > 0;
  await passGuard(all, { operation, input, names, named, view, clock });
  using journal = await journalOf(all, { operation, input }, names);
  yield* runOnNodes(context, {
    ...flags,
    ...options,
    maxUnavailable,
    names,
    journal,
    view,
    clock,
    // The order of the nodes counts where they are disturbed.
    endpoints: flags.insecure || !disturbs(operation)
      ? []
      : await knownEndpoints(context),
  });
}

/**
 * Endpoints the nodes are reached through, as written; none when nothing says which.
 *
 * @param request Flags, and where the client configuration is.
 */
export async function knownEndpoints(
  request: Pick<OperateContext, "globals" | "environment">,
): Promise<readonly string[]> {
  const { endpoints, context } = request.globals;
  if (endpoints.length > 0) return endpoints;
  const { config } = await currentOsconfig(request);
  return config.contexts.get(context ?? config.current)?.endpoints ?? [];
}

/** All flags, given or not. */
type Flags =
  & OperateInputs
  & Partial<Pick<MaintenanceInputs, "insecure">>
  & Partial<BudgetInputs>;

const defaults = { wait: true, debug: false, yes: false, allow: [] };

function disturbs({ effect }: AnyOperation): boolean {
  return effect === "disrupt" || effect === "destroy";
}

/** Only what disturbs is written down: everything else can be done again. */
async function journalOf(
  context: Context<Flags>,
  { operation, input }: OperateOptions,
  nodes: readonly string[],
): Promise<OpenJournal | (Journal & Disposable)> {
  const { input: flags, globals, environment } = context;
  // A node without a configuration is in no context through which it could be found again.
  if (!disturbs(operation) || flags.insecure) return noJournal;
  return await beginJournal(locateOperations(environment.env), {
    operation: operation.name,
    input,
    nodes,
    context: globals.context ?? (await currentOsconfig(context)).config.current,
    host: Deno.hostname(),
    allow: flags.allow,
    waitMs: flags.wait || flags.debug ? flags.timeout ?? nodeWaitMs : 0,
    ...(flags.maxUnavailable === undefined
      ? {}
      : { maxUnavailable: flags.maxUnavailable }),
  }, environment.now);
}

/** For what can be done again. */
export const noJournal: Journal & Disposable = {
  id: "",
  append: () => Promise.resolve(),
  [Symbol.dispose]() {},
};
