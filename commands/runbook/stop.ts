import { locateRuns } from "../../config/osconfig/location.ts";
import { TimeoutError } from "../../errors.ts";
import {
  findCondition,
  nextCommand,
  type RunCondition,
} from "../../workflows/runbooks/store/run_condition.ts";
import { leaveMessage } from "../../workflows/runbooks/store/inbox.ts";
import {
  type ListedRun,
  readRun,
} from "../../workflows/runbooks/store/run_folder.ts";
import {
  type Command,
  type Context,
  duration,
  lines,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { waitForRelease } from "../../workflows/runbooks/run/wait_for_release.ts";
import { optionalRunWord, readNamed } from "./_flags/run_argument.ts";
import { senderNow } from "../../workflows/runbooks/run/send_message.ts";

/** A run with a stop request. */
interface StopRow {
  readonly run: string;
  /** `stopping` while its process runs, else its state. */
  readonly state: RunCondition | "stopping";
  /** Command that resumes it; null while its process runs, or if there is nothing to resume. */
  readonly next: string | null;
}

const inputs = {
  now: toggle("stop at once, without waiting for calls in flight"),
  wait: toggle("wait until it has stopped", { short: "w" }),
  timeout: duration("timeout of --wait; 0 for none", { initial: "0s" }),
  reason: text("reason, shown on the terminal of the run"),
  run: optionalRunWord,
};

type StopInputs = Values<typeof inputs>;

export const command = {
  summary: "Stop a run at the next safe point",
  description:
    `Like the first Ctrl-C on the terminal of the run: nothing new starts, sleeps, gates and approvals end at once, and
nodes in the middle of their steps continue to a safe point, for example not between an installation and its reboot.
--now is like the second Ctrl-C: the run ends without waiting for calls in flight, whose results are then in doubt. The
run can be resumed either way.

--wait shows which nodes the run is waiting for, until its process has exited.`,
  inputs,
  examples: [
    "runbook stop --wait",
    "runbook stop 20261120-7k2f --wait --timeout 30m",
    "runbook stop last --now",
  ],
  view: lines(({ run, state, next }) => {
    const text = `run ${run} is ${
      state === "running" || state === "stopping" ? "stopping" : state
    }`;
    return next === null ? text : `${text}\nresume with: ${next}`;
  }),
  async *run(context) {
    const { input, environment } = context;
    const run = await readNamed(input.run, environment);
    if (!run.held) {
      yield toRow(run);
      return;
    }
    yield await stopRun(run, context);
  },
} satisfies Command<StopRow, StopInputs>;

async function stopRun(
  run: ListedRun,
  context: Context<StopInputs>,
): Promise<StopRow> {
  const { input: { now, wait, timeout, reason }, environment, note, signal } =
    context;
  const { header: { id }, folder } = run;
  const sender = senderNow(environment, reason);
  await leaveMessage(folder, { ...sender, type: "stop", hard: now });
  if (!wait) return { run: id, state: "stopping", next: null };
  const ends = timeout === 0
    ? [signal]
    : [signal, AbortSignal.timeout(timeout)];
  const left = await waitForRelease(folder, Date.parse(sender.at), {
    note,
    signal: AbortSignal.any(ends),
  });
  signal.throwIfAborted();
  if (left !== undefined) {
    throw new TimeoutError(`Run "${id}" has not stopped: ${left}`, {
      hint: `Stop at once with: osctl runbook stop ${id} --now`,
    });
  }
  return toRow(await readRun(locateRuns(environment.env), id));
}

function toRow(run: ListedRun): StopRow {
  return {
    run: run.header.id,
    state: findCondition(run),
    next: nextCommand(run) ?? null,
  };
}
