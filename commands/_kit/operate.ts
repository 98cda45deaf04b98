/** Commands that change nodes: flags, journal, progress and outcomes. */

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
import { choice, type Flag, toggle, type Values } from "./inputs.ts";
import { currentOsconfig } from "../_session/osconfig.ts";

export type { AnyChange, Change, OutcomeRow };

/** Flags of commands that wait for completion. */
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

/** `--progress` of commands that take long. */
export const progressInput = {
  progress: choice(
    "progress: auto redraws its lines on a terminal, plain prints each of them",
    ["auto", "plain"],
    { initial: "auto", step: false },
  ),
};

type OperateInputs = Values<typeof operateInputs>;

/**
 * Flags of commands that leave nodes running: no confirmation.
 *
 * @param longest Default timeout, such as `30s`.
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

/** Table of outcomes. */
export const outcomeView: View<OutcomeRow> = table({
  NODE: { cell: ({ node }) => node, name: true },
  OUTCOME: {
    priority: 1,
    cell: ({ outcome }) => outcome,
    tone: ({ outcome }) => progressTone(outcome),
  },
  REASON: { cell: ({ reason }) => reason, prose: true },
});

/** Runs and shows the change of a command. */
export const changing: {
  readonly view: View<OutcomeRow>;
  readonly run: (context: OperateContext) => AsyncGenerator<OutcomeRow>;
} = { view: outcomeView, run: operate };

/** Context of commands that change nodes; missing flags count as not given. */
type OperateContext = Context<
  & Partial<OperateInputs>
  & Partial<Values<typeof progressInput>>
  & Partial<Pick<MaintenanceInputs, "insecure">>
  & Partial<BudgetInputs>
>;

/**
 * Runs the change of a command.
 *
 * @param context Flags, nodes, environment, and the declared change.
 * @returns Rows of nodes that succeeded, as they finish.
 * @throws {NodesError} Naming the other nodes.
 */
export async function* operate<Row = OutcomeRow>(
  context: OperateContext,
): AsyncGenerator<Row> {
  const { prepare } = requireChange(context);
  yield* operatePrepared<Row>(context, await prepare(context.input, context));
}

/** The operation of a change for these inputs. */
export function operationFor(
  { operation, chooseOperation }: AnyChange,
  values: unknown,
): AnyOperation {
  return chooseOperation?.(values) ?? operation;
}

/** A change that the file does not export would bypass the rule for changing nodes. */
function requireChange({ change }: Pick<OperateContext, "change">): AnyChange {
  if (change !== undefined) return change;
  throw new TypeError("The file of the command exports no change");
}

/**
 * Runs a prepared change.
 *
 * @param context Flags, nodes, environment, and the declared change.
 * @returns Rows of nodes that succeeded, as they finish.
 * @throws {NodesError} Naming the other nodes.
 */
export async function* operatePrepared<Row = OutcomeRow>(
  context: OperateContext,
  prepared: PreparedChange,
): AsyncGenerator<Row> {
  const { nodes, environment, globals } = context;
  const change = requireChange(context);
  const {
    operation = operationFor(change, context.input),
    input,
    chooseOperation,
  } = prepared;
  // Operations with additional columns create their own rows.
  const toRow = prepared.toRow ?? ((row) => row);
  for (const row of prepared.rows ?? []) yield row as Row;
  const chosen = prepared.names ?? await nodes.names();
  if (chosen.length === 0) return;
  const clock = makeClock(environment);
  using view = viewCluster(nodes, clock);
  const flags: Flags = { ...defaults, timeout: undefined, ...context.input };
  // Otherwise a node would be changed once for each of its names.
  const names = chosen.length > 1 && !flags.insecure
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
  const { live: _, ...plain } = environment;
  const shown = context.input.progress === "plain"
    ? { ...context, environment: plain }
    : context;
  const rows = runOnNodes(shown, {
    ...flags,
    operation,
    chooseOperation,
    input,
    nodeTimeoutMs: change.nodeTimeoutMs,
    maxUnavailable,
    names,
    unlocked,
    journal,
    view,
    clock,
    // Order matters for nodes that are disrupted.
    endpoints: flags.insecure || !disturbs(operation)
      ? []
      : await knownEndpoints(context),
  });
  for await (const row of rows) yield toRow(row) as Row;
}

/**
 * Endpoints of the nodes, as written; empty if unknown.
 *
 * @param request Flags and the client configuration.
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

/** Only disruptive operations are recorded: the others can be repeated. */
async function openJournal(
  context: Context<Flags>,
  { operation, input }: Pick<NodesRun, "operation" | "input">,
  nodes: readonly string[],
): Promise<OpenOperationJournal | (Journal & Disposable)> {
  const { input: flags, globals, environment } = context;
  // A node without a configuration is in no context to find it by later.
  if (!disturbs(operation) || flags.insecure) return noJournal;
  return await beginJournal(locateOperations(environment.env), {
    operation: operation.name,
    input,
    nodes,
    context: globals.context ?? (await currentOsconfig(context)).config.current,
    host: Deno.hostname(),
    allow: flags.allow,
    waitMs: flags.wait || flags.debug ? flags.timeout ?? nodeWaitMs : 0,
    maxUnavailable: flags.maxUnavailable,
  }, environment.now);
}

/** Journal of operations that can be repeated. */
const noJournal: Journal & Disposable = {
  id: "",
  append: () => Promise.resolve(),
  [Symbol.dispose]() {},
};
