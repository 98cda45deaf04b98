import { locateRuns } from "../../config/osconfig/location.ts";
import { ConfigError, LockedError, OsctlError } from "../../errors.ts";
import { removeClaim } from "../../workflows/runbooks/lock/claim.ts";
import {
  type LeaseState,
  readLease,
} from "../../workflows/runbooks/lock/lease.ts";
import {
  isResumable,
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
  findLeftover,
  leftoverLines,
} from "../../workflows/runbooks/report/unfinished_run.ts";
import { requireReason } from "./_flags/run_argument.ts";
import { runSession } from "../_runbook/session.ts";
import { senderNow } from "../../workflows/runbooks/run/send_message.ts";
import { keptVaultKey } from "../_runbook/run_flags.ts";
import { requireTyped } from "../../workflows/runbooks/run/confirm_id.ts";

/** A lock of a cluster. */
interface UnlockRow {
  /** Run that held the lock; null if there was none. */
  readonly run: string | null;
  /** User and host that started it; null if there was no lock. */
  readonly claimedBy: string | null;
  /** Last renewal, ISO 8601; null if there was no lock. */
  readonly renewedAt: string | null;
  readonly removed: boolean;
}

const inputs = {
  reason: text("reason, recorded with the run; required"),
  typed: text("id of the run, instead of typing it on the terminal"),
  vaultKey: keptVaultKey,
  run: optionalWord("id of the run; default the run that holds the lock", {
    complete: "runs",
  }),
};

type UnlockInputs = Values<typeof inputs>;

export const command = {
  summary: "Remove the lock of a dead run from a cluster",
  description:
    `A run locks the cluster from its first change to its end, so that no other run can start on any machine. If its
process dies, the lock stays. This command shows which run holds the lock and removes it:

- at once, if the run has finished on this machine;
- after you typed its id, on a terminal or with --typed, if it is unfinished or belongs to another machine;
- never while a process is running it.

Prefer to resume the run ("osctl runbook resume") or abort it ("osctl runbook abort") where it was started.`,
  inputs,
  examples: [
    'runbook unlock --reason "the machine it ran on is gone"',
    'runbook unlock 20261120-7k2f --reason "gone" --typed 20261120-7k2f',
  ],
  view: lines(({ run, removed }) => {
    if (run === null) return "the cluster is not locked";
    return removed
      ? `the lock of run ${run} is removed`
      : `the lock of run ${run} was removed meanwhile`;
  }),
  async *run(context) {
    const { environment, input } = context;
    const reason = await requireReason(
      "remove the lock",
      {
        words: ["unlock", ...input.run === undefined ? [] : [input.run]],
        typed: input.typed ?? input.run ?? "RUN",
      },
      context,
    );
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

/** Refuses while another process resumes the run, and asks for confirmation unless the run has finished. */
async function permit(
  lease: LeaseState,
  context: Context<UnlockInputs>,
): Promise<void> {
  const { input, environment, note } = context;
  const { claim, claimedBy, holder, renewedAt, durationMs } = lease;
  if (input.run !== undefined && input.run !== claim) {
    throw new ConfigError(
      `Run "${input.run}" does not hold the lock on the cluster; run "${claim}" of ${claimedBy} does`,
    );
  }
  const aged = environment.now().getTime() - renewedAt;
  note(
    `run ${claim} of ${claimedBy} has locked the cluster, renewed ${
      spanText(aged)
    } ago`,
  );
  const local = await localRun(claim, context);
  if (local?.held) {
    throw new LockedError(
      `Run "${claim}" is running in a process of this machine`,
      {
        hint: `Stop it with: osctl runbook stop ${claim} --wait`,
      },
    );
  }
  // A process of this machine is known to be dead; for one elsewhere, perhaps
  // with a copy, only the lock expiry tells.
  const isHere = local !== undefined && isOfHost(holder);
  if (!isHere && holder !== "" && aged < durationMs) {
    const left = spanText(Math.min(durationMs, durationMs - aged));
    throw new LockedError(
      `A process of ${claimedBy} is running run "${claim}"`,
      { hint: `If that process no longer runs, wait ${left} and try again` },
    );
  }
  if (local !== undefined) {
    leftoverLines(findLeftover(local.history)).forEach(note);
    if (!isUnfinished(local)) return;
  }
  await requireTyped(claim, "remove its lock", input.typed, context);
}

/** Reports whether the holder is, or was, a process of this machine. */
function isOfHost(holder: string): boolean {
  const [who = ""] = holder.split(" # ");
  return who.endsWith(`@${Deno.hostname()}`);
}

/** The named run, or the newest of this context that may have left a CA rotation unfinished. */
async function keptRun(
  name: string,
  { input, environment }: Context<UnlockInputs>,
): Promise<KeptRun | undefined> {
  const runs = locateRuns(environment.env);
  for await (
    const { header: { id, context }, folder, run } of surveyRuns(runs)
  ) {
    const isMeant = input.run === undefined
      ? context === name && (run === undefined || isResumable(run))
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
    const data = { state: "removed", by, reason } as const;
    await open.journal.append({ type: "lease", data });
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    note(`Nothing was recorded in the run: ${error.message}`);
  }
}
