/** Commands that change nodes: flags, journal, progress and outcome. */

import { namesNodes } from "./globals.ts";
import { distinctNodes } from "../../transport/node/members.ts";
import { knownMembers } from "../../workflows/operations/node_order.ts";
import { locateOperations } from "../../config/osconfig/location.ts";
import { table, type View } from "../../terminal/view.ts";
import { progressTone } from "../../terminal/tone.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import type { Journal } from "../../workflows/operations/journal.ts";
import {
  beginJournal,
  type OpenOperationJournal,
} from "../../workflows/operations/journal_file.ts";
import type {
  AnyChange,
  Change,
  OutcomeRow,
  PreparedChange,
} from "../../workflows/operations/change.ts";
import {
  makeClock,
  type NodesRun,
  nodeWaitMs,
  runOnNodes,
} from "../../workflows/operations/run_on_nodes.ts";
import {
  type BudgetInputs,
  longestWait,
  type MaintenanceInputs,
  unavailableLimit,
  waitFlag,
} from "./node_inputs.ts";
import type { Context } from "./command.ts";
import { guardInputs, passGuard, passLock } from "./guard.ts";
import { type Flag, toggle, type Values } from "./inputs.ts";
import { currentOsconfig } from "../_session/osconfig.ts";

export type { AnyChange, Change, OutcomeRow };

/** Flags of commands whose end is worth waiting for. */
export const operateInputs = {
  wait: toggle("wait until the operation has finished", {
    initial: true,
    step: false,
  }),
  timeout: waitFlag("30m0s"),
  debug: toggle("wait, and show the kernel log of each node", {
    step: false,
  }),
  ...guardInputs,
};

type OperateInputs = Values<typeof operateInputs>;

/**
 * Makes the flags of commands after which nodes continue working: there is nothing to ask.
 *
 * @param longest Default longest wait, such as `30s`.
 */
export function actInputs(
  longest: string,
): Pick<typeof operateInputs, "wait" | "debug"> & { timeout: Flag<number> } {
  return {
    wait: operateInputs.wait,
    timeout: longestWait(longest),
    debug: operateInputs.debug,
  };
}

/** How outcomes are shown. */
export const outcomeView: View<OutcomeRow> = table({
  NODE: { cell: ({ node }) => node, name: true },
  OUTCOME: {
    priority: 1,
    cell: ({ outcome }) => outcome,
    tone: ({ outcome }) => progressTone(outcome),
  },
  REASON: { cell: ({ reason }) => reason, prose: true },
});

/** How the change of a command is made and shown. */
export const changing: {
  readonly view: View<OutcomeRow>;
  readonly run: (context: OperateContext) => AsyncGenerator<OutcomeRow>;
} = { view: outcomeView, run: operate };

/** What commands that change nodes are given; what they have no flag for is as if it was not given. */
export type OperateContext = Context<
  & Partial<OperateInputs>
  & Partial<Pick<MaintenanceInputs, "insecure">>
  & Partial<BudgetInputs>
>;

/**
 * Makes the change of a command.
 *
 * @param context Flags, nodes, environment, and what the file of the command declares.
 * @returns Rows of nodes on which it ended well, as they end.
 * @throws {NodesError} Naming the others.
 */
export async function* operate<Row = OutcomeRow>(
  context: OperateContext,
): AsyncGenerator<Row> {
  const { prepare } = declared(context);
  yield* operatePrepared<Row>(context, await prepare(context.input, context));
}

/** What a change does for these inputs. */
export function operationFor(
  { operation, operationOf }: AnyChange,
  values: unknown,
): AnyOperation {
  return operationOf?.(values) ?? operation;
}

/** What the file does not export would pass the rule of which nodes are changed. */
function declared({ change }: Pick<OperateContext, "change">): AnyChange {
  if (change !== undefined) return change;
  throw new TypeError("The file of the command exports no change");
}

/**
 * Makes a change that is prepared.
 *
 * @param context Flags, nodes, environment, and what the file of the command declares.
 * @returns Rows of nodes on which it ended well, as they end.
 * @throws {NodesError} Naming the others.
 */
export async function* operatePrepared<Row = OutcomeRow>(
  context: OperateContext,
  prepared: PreparedChange,
): AsyncGenerator<Row> {
  const { nodes, environment, globals } = context;
  const change = declared(context);
  const {
    operation = operationFor(change, context.input),
    input,
    operationOf,
  } = prepared;
  // Whose rows say more makes them.
  const rowOf = prepared.rowOf ?? ((row) => row);
  for (const row of prepared.rows ?? []) yield row as Row;
  const chosen = prepared.names ?? await nodes.names();
  if (chosen.length === 0) return;
  const clock = makeClock(environment);
  using view = viewCluster(nodes, clock);
  const flags: Flags = { ...defaults, timeout: undefined, ...context.input };
  // Else a node would be disturbed as often as it is named.
  const names = chosen.length > 1 && disturbs(operation) && !flags.insecure
    ? distinctNodes(chosen, await knownMembers(view))
    : chosen;
  const maxUnavailable = disturbs(operation)
    ? unavailableLimit({ input: flags, environment }, operation, names.length)
    : flags.maxUnavailable;
  const all = { ...context, input: { ...flags, maxUnavailable } };
  const named = prepared.names !== undefined || namesNodes(globals);
  const unlocked = flags.insecure
    ? undefined
    : await passLock(context, { operation, view, clock }, flags.allow);
  await passGuard(all, { operation, input, names, named, view, clock });
  using journal = await openJournal(all, { operation, input }, names);
  const rows = runOnNodes(context, {
    ...flags,
    operation,
    operationOf,
    input,
    nodeTimeoutMs: change.nodeTimeoutMs,
    maxUnavailable,
    names,
    unlocked,
    journal,
    view,
    clock,
    // The order of the nodes counts where they are disturbed.
    endpoints: flags.insecure || !disturbs(operation)
      ? []
      : await knownEndpoints(context),
  });
  for await (const row of rows) yield rowOf(row) as Row;
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

type Flags =
  & OperateInputs
  & Partial<Pick<MaintenanceInputs, "insecure">>
  & Partial<BudgetInputs>;

const defaults = { wait: true, debug: false, yes: false, allow: [] };

function disturbs({ effect }: AnyOperation): boolean {
  return effect === "disrupt" || effect === "destroy";
}

/** Only what disturbs is written down: everything else can be done again. */
async function openJournal(
  context: Context<Flags>,
  { operation, input }: Pick<NodesRun, "operation" | "input">,
  nodes: readonly string[],
): Promise<OpenOperationJournal | (Journal & Disposable)> {
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

const noJournal: Journal & Disposable = {
  id: "",
  append: () => Promise.resolve(),
  [Symbol.dispose]() {},
};
