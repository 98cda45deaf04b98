import { locateRuns } from "../../config/osconfig/location.ts";
import {
  ConfigError,
  HeldError,
  OsctlError,
  UsageError,
} from "../../errors.ts";
import { removeClaim } from "../../workflows/runbooks/lock/claim.ts";
import {
  type LeaseState,
  readLease,
} from "../../workflows/runbooks/lock/lease.ts";
import {
  canGoOn,
  isUnfinished,
} from "../../workflows/runbooks/store/run_condition.ts";
import { surveyRuns } from "../../workflows/runbooks/store/find_run.ts";
import { spanText } from "../../workflows/runbooks/report/span.ts";
import {
  type ListedRun,
  openJournal,
  readRun,
} from "../../workflows/runbooks/store/run_folder.ts";
import { listHeaders } from "../../workflows/runbooks/store/run_header.ts";
import {
  type AnyCommand,
  type Command,
  type Context,
  lines,
  optionalWord,
  text,
  type Values,
} from "../_kit/mod.ts";
import {
  askKubernetes,
  type KeptRun,
} from "../../workflows/runbooks/run/ask_kubernetes.ts";
import {
  leftoverLines,
  leftoverOf,
} from "../../workflows/runbooks/report/leftover.ts";
import { runSession } from "../_runbook/session.ts";
import { senderNow } from "../../workflows/runbooks/run/tell_run.ts";
import { keptVaultKey } from "../_runbook/run_flags.ts";
import { requireTyped } from "../../workflows/runbooks/run/typed_id.ts";

/** A claim on a cluster. */
export interface UnlockRow {
  /** Run that had the claim; null when there was none. */
  readonly run: string | null;
  /** Who began it: user and host; null when there was no claim. */
  readonly claimedBy: string | null;
  /** When it was renewed last, ISO 8601; null when there was no claim. */
  readonly renewedAt: string | null;
  /** Whether it was removed. */
  readonly removed: boolean;
}

const inputs = {
  reason: text("why; is written down and has to be given"),
  typed: text("id of the run, instead of typing it"),
  vaultKey: keptVaultKey,
  run: optionalWord("id of the run; default the one that has the claim", {
    complete: "runs",
  }),
};

/** Inputs of the command. */
type UnlockInputs = Values<typeof inputs>;

/** `osctl runbook unlock`: removes the claim of a run on a cluster. */
export const command: AnyCommand = {
  summary: "Remove the claim of a run on a cluster that nobody goes on with",
  description:
    `From its first change to its end a run has a claim on the cluster, so that nobody begins something else in the middle
of it, on whatever machine. The claim stays when its process dies. Here it is told who has it, and it is removed:

  - at once, when the run has ended on this machine;
  - after its id was typed, on a terminal or with --typed, when it has not ended, or is a run of another machine;
  - never, while a process goes on with it.

Better go on with the run ("osctl runbook resume"), or give it up ("osctl runbook abort"), where it was begun. Locks of
this machine need no command: the system takes them from a process that dies.`,
  inputs,
  examples: [
    'runbook unlock --reason "the machine it ran on is gone"',
    'runbook unlock 20261120-7k2f --reason "gone" --typed 20261120-7k2f',
  ],
  view: lines(({ run, removed }) => {
    if (run === null) return "no run has a claim on the cluster";
    return removed
      ? `the claim of run ${run} is removed`
      : `the claim of run ${run} was removed meanwhile`;
  }),
  async *run(context) {
    const { environment, input: { reason } } = context;
    if (!reason) {
      throw new UsageError("Cannot remove a claim without --reason", {
        hint: "Whoever looks at the cluster later wants to know why",
      });
    }
    const session = runSession(context);
    const cluster = {
      run: (name: string) => keptRun(name, context),
      vaultKey: context.input.vaultKey,
    };
    const lease = await askKubernetes(session, cluster, readLease);
    if (lease === undefined || lease.claim === "") {
      yield { run: null, claimedBy: null, renewedAt: null, removed: false };
      return;
    }
    await permit(lease, context);
    const sender = senderNow(environment, reason);
    const { claim, claimedBy, renewedAt } = lease;
    const removed = await askKubernetes(
      session,
      cluster,
      (kubernetes, signal) => removeClaim(kubernetes, claim, sender, signal),
    );
    await writeDown(claim, { by: sender.by, reason }, context);
    yield {
      run: claim,
      claimedBy,
      renewedAt: new Date(renewedAt).toISOString(),
      removed,
    };
  },
} satisfies Command<UnlockRow, UnlockInputs>;

/** Refuses while somebody goes on with the run, and asks unless it is over. */
async function permit(
  lease: LeaseState,
  context: Context<UnlockInputs>,
): Promise<void> {
  const { input, environment, note } = context;
  const { claim, claimedBy, holder, renewedAt, durationMs } = lease;
  if (input.run !== undefined && input.run !== claim) {
    throw new ConfigError(
      `Run "${input.run}" has no claim on the cluster, run "${claim}" of ${claimedBy} has`,
    );
  }
  const aged = environment.now().getTime() - renewedAt;
  note(
    `run ${claim} of ${claimedBy} has a claim on the cluster, renewed ${
      spanText(aged)
    } ago`,
  );
  const local = await localRun(claim, context);
  if (local?.held) {
    throw new HeldError(`Run "${claim}" goes on in a process of this machine`, {
      hint: `Stop it with: osctl runbook stop ${claim} --wait`,
    });
  }
  // A process of this machine is known to be gone; of another one, which may have a copy, only time tells.
  const isHere = local !== undefined && isOfHost(holder);
  if (!isHere && holder !== "" && aged < durationMs) {
    const left = spanText(Math.min(durationMs, durationMs - aged));
    throw new HeldError(
      `A process of ${claimedBy} goes on with run "${claim}"`,
      { hint: `If it is gone, wait ${left} and try again` },
    );
  }
  if (local !== undefined) {
    leftoverLines(leftoverOf(local.history)).forEach(note);
    if (!isUnfinished(local)) return;
  }
  await requireTyped(claim, "remove its claim", input.typed, context);
}

/** Whether a process of this machine is, or was, the holder. */
function isOfHost(holder: string): boolean {
  const [who = ""] = holder.split(" # ");
  return who.endsWith(`@${Deno.hostname()}`);
}

/** The run that is named, or the newest of this context that may have left the cluster half exchanged. */
async function keptRun(
  name: string,
  { input, environment }: Context<UnlockInputs>,
): Promise<KeptRun | undefined> {
  const runs = locateRuns(environment.env);
  for await (
    const { header: { id, context }, folder, run } of surveyRuns(runs)
  ) {
    const isMeant = input.run === undefined
      ? context === name && (run === undefined || canGoOn(run))
      : id === input.run;
    if (isMeant) return { id, folder };
  }
  return undefined;
}

async function localRun(
  id: string,
  { environment }: Context<UnlockInputs>,
): Promise<ListedRun | undefined> {
  const runs = locateRuns(environment.env);
  const headers = await listHeaders(runs);
  return headers.some((header) => header.id === id)
    ? await readRun(runs, id)
    : undefined;
}

async function writeDown(
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  context: Context<UnlockInputs>,
): Promise<void> {
  const { environment, note } = context;
  if (await localRun(id, context) === undefined) return;
  try {
    using open = await openJournal(
      locateRuns(environment.env),
      id,
      environment.now,
    );
    const d = { state: "removed", by, reason };
    await open.journal.append({ t: "lease", d });
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    note(`Nothing was written down in the run: ${error.message}`);
  }
}
