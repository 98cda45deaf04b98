import { locateOperations } from "../../config/osconfig/location.ts";
import { ConfigError, RefusedError, UsageError } from "../../errors.ts";
import { operations } from "../../workflows/operations/all.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import type {
  BeginRecord,
  JournalHistory,
} from "../../workflows/operations/journal.ts";
import {
  listJournals,
  reopenJournal,
} from "../../workflows/operations/journal_file.ts";
import { passLock } from "../_kit/guard.ts";
import { waitFlag } from "../_kit/node_inputs.ts";
import {
  type Command,
  optionalWord,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import {
  knownEndpoints,
  operateInputs,
  type OutcomeRow,
  outcomeView,
} from "../_kit/operate.ts";
import {
  makeClock,
  runOnNodes,
} from "../../workflows/operations/run_on_nodes.ts";
import { currentOsconfig } from "../_session/osconfig.ts";

const inputs = {
  id: optionalWord(
    'id of the operation, from "osctl operation list"; default the only one that is interrupted or unfinished',
  ),
  timeout: waitFlag("30m0s"),
  debug: operateInputs.debug,
  elsewhere: toggle(
    "resume an operation that was started on another machine and is no longer running there",
  ),
};

export const command = {
  summary: "Resume an operation whose client died or timed out",
  description:
    `Checks the nodes first: finished work is not repeated, work in progress is waited for, and the rest is started. A
node whose state cannot be determined is skipped and reported (status 5). An operation can be resumed until all of its
nodes are done.`,
  inputs,
  writes: true,
  examples: [
    "operation resume",
    "operation resume 20260102-030405-reboot-a1b2",
  ],
  view: outcomeView,
  async *run(context) {
    const { input: { timeout, debug }, globals, nodes, environment } = context;
    const folder = locateOperations(environment.env);
    const id = context.input.id ?? await onlyOperation(folder, context.note);
    using journal = await reopenJournal(folder, id, environment.now);
    const { begin, nodes: history, ended } = journal.history;
    if (ended) throw new ConfigError(`Operation "${id}" has already finished`);
    if (!context.input.elsewhere) refuseCopy(begin);
    const { config } = await currentOsconfig(context);
    const using = globals.context ?? config.current;
    if (using !== begin.context) {
      throw new UsageError(
        `Operation "${id}" was started with context "${begin.context}"`,
        { hint: `Pass --context ${begin.context}` },
      );
    }
    const operation = operations.get(begin.operation);
    if (operation === undefined) {
      throw new ConfigError(`Unknown operation "${begin.operation}"`, {
        hint: "Resume it with the osctl version that started it",
      });
    }
    const clock = makeClock(environment);
    using view = viewCluster(nodes, clock);
    const unlocked = await passLock(
      context,
      { operation, view, clock },
      begin.allow,
    );
    yield* runOnNodes(context, {
      operation,
      input: begin.input,
      names: begin.nodes,
      endpoints: await knownEndpoints(context),
      journal,
      view,
      clock,
      wait: begin.waitMs > 0,
      timeout,
      debug,
      allow: begin.allow,
      maxUnavailable: begin.maxUnavailable,
      history,
      unlocked,
    });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;

/**
 * The only operation to resume; prints its id.
 *
 * @throws {UsageError} If there is none, or several.
 */
async function onlyOperation(
  folder: string,
  note: (text: string) => void,
): Promise<string> {
  const listed = await listJournals(folder);
  const open = listed.filter(({ held, history }) => !held && isOpen(history));
  const [only, ...others] = open;
  if (only === undefined) {
    throw new UsageError("No operation is interrupted or unfinished", {
      hint: "See all operations with: osctl operation list --all",
    });
  }
  if (others.length > 0) {
    const ids = open.map(({ id }) => id).join(", ");
    throw new UsageError(`${open.length} operations can be resumed: ${ids}`, {
      hint: `Name one: osctl operation resume ${only.id}`,
    });
  }
  note(`Resuming ${only.history.begin.operation} ${only.id}`);
  return only.id;
}

function isOpen({ ended }: JournalHistory): boolean {
  return !ended;
}

/** A copied journal, in a restored home or another pod, does not show what is running on the original host. */
function refuseCopy({ id, host }: BeginRecord): void {
  if (host === undefined || host === Deno.hostname()) return;
  throw new RefusedError(`Operation "${id}" was started on machine "${host}"`, {
    hint:
      "Resume it there; if it is no longer running there, resume it here with --elsewhere",
  });
}
