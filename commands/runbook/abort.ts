import { locateRuns } from "../../config/osconfig/location.ts";
import { OsctlError, TimeoutError } from "../../errors.ts";
import { removeClaim } from "../../workflows/runbooks/lock/claim.ts";
import {
  abortRun,
  mayClaim,
} from "../../workflows/runbooks/store/abort_run.ts";
import {
  leaveMessage,
  type MessageSender,
} from "../../workflows/runbooks/store/inbox.ts";
import {
  type ListedRun,
  openJournal,
} from "../../workflows/runbooks/store/run_folder.ts";
import {
  type Command,
  type Context,
  duration,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { waitForRelease } from "../../workflows/runbooks/run/wait_for_release.ts";
import { askKubernetes } from "../../workflows/runbooks/run/ask_kubernetes.ts";
import {
  findLeftover,
  type Leftover,
  leftoverLines,
} from "../../workflows/runbooks/report/unfinished_run.ts";
import { runSession } from "../_runbook/session.ts";
import { readNamed, requireReason, runWord } from "./_flags/run_argument.ts";
import { senderNow } from "../../workflows/runbooks/run/send_message.ts";
import { keptVaultKey } from "../_runbook/run_flags.ts";
import { requireTyped } from "../../workflows/runbooks/run/confirm_id.ts";

/** An aborted run. */
interface AbortRow extends Leftover {
  readonly run: string;
  readonly state: "cancelled";
  /** User and host that aborted it. */
  readonly by: string;
  readonly reason: string;
  /** Its lock of the cluster: `removed`, `none`, or `kept` if the cluster was unreachable. */
  readonly claim: "removed" | "none" | "kept";
}

const inputs = {
  reason: text("reason, recorded with the run; required"),
  typed: text("id of the run, instead of typing it on the terminal"),
  vaultKey: keptVaultKey,
  timeout: duration("timeout for the process of the run to stop", {
    initial: "1m0s",
  }),
  run: runWord,
};

type AbortInputs = Values<typeof inputs>;

export const command = {
  summary: "Abort a run for good",
  description:
    `An aborted run cannot be resumed. A process that runs it is interrupted at once, as with "osctl runbook stop
--now". The run is marked as aborted and its lock on the cluster is removed, so that another run can start. Nothing is
rolled back: calls in flight and changes left on nodes are listed.

You have to type the id of the run, on a terminal or with --typed. To resume later, use "osctl runbook stop" instead.`,
  inputs,
  examples: [
    'runbook abort last --reason "replaced the cluster"',
    'runbook abort last --reason "replaced" --typed 20261120-7k2f',
  ],
  view: lines((row) =>
    [
      `run ${row.run} is aborted`,
      ...leftoverLines(row).map((line) => `  ${line}`),
    ].join("\n")
  ),
  async *run(context) {
    const { input, environment, note } = context;
    const run = await readNamed(input.run, environment);
    const { id } = run.header;
    const reason = await requireReason(
      "abort the run",
      { words: ["abort", id], typed: input.typed ?? id },
      context,
    );
    const before = leftoverLines(findLeftover(run.history));
    if (input.typed === undefined) before.forEach(note);
    await requireTyped(id, "abort it", input.typed, context);
    const sender = senderNow(environment, reason);
    if (run.held) await interrupt(run, sender, context);
    const runs = locateRuns(environment.env);
    const history = await abortRun({ runs, id, sender, now: environment.now });
    const claim = mayClaim(history)
      ? await releaseClaim(run, sender, context)
      : "none";
    const left = findLeftover(history);
    yield {
      run: id,
      state: "cancelled",
      by: sender.by,
      reason,
      claim,
      ...left,
    };
  },
} satisfies Command<AbortRow, AbortInputs>;

async function interrupt(
  { header: { id }, folder }: ListedRun,
  sender: MessageSender,
  { input: { timeout }, note, signal }: Context<AbortInputs>,
): Promise<void> {
  await leaveMessage(folder, { ...sender, type: "stop", hard: true });
  const left = await waitForRelease(folder, Date.parse(sender.at), {
    note,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  });
  signal.throwIfAborted();
  if (left === undefined) return;
  throw new TimeoutError(`The process of run "${id}" does not exit: ${left}`, {
    hint: "Stop it on its machine, then abort the run",
  });
}

async function releaseClaim(
  { header, folder }: ListedRun,
  sender: MessageSender,
  context: Context<AbortInputs>,
): Promise<AbortRow["claim"]> {
  const { note, environment } = context;
  const { id } = header;
  try {
    const removed = await askKubernetes(
      runSession(context),
      {
        named: header.context,
        run: () => Promise.resolve({ id, folder }),
        vaultKey: context.input.vaultKey,
      },
      (kubernetes, signal) => removeClaim(kubernetes, id, sender, signal),
    );
    const runs = locateRuns(environment.env);
    using open = await openJournal(runs, id, environment.now);
    const data = { state: "removed", by: sender.by } as const;
    await open.journal.append({ type: "lease", data });
    return removed ? "removed" : "none";
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    note(
      `The lock on cluster "${header.cluster.name}" stays: ${error.message}; remove it with: osctl runbook unlock ${id} --reason "…"`,
    );
    return "kept";
  }
}
