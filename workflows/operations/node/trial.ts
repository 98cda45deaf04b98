/** The end of a trial: the configuration is confirmed, or the node goes back to the one before. */

import { poll } from "../../../lib/poll.ts";
import { OsctlError } from "../../../errors.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../transport/gen/machine_configuration.ts";
import type { NodeContext, OperationProgress, Verdict } from "../operation.ts";
import type { DesiredState } from "../../configuration/desired_state.ts";
import { failingCheck, type TrialCheck } from "../../configuration/checks.ts";
import { readConnected } from "../../configuration/pending_change.ts";
import { sendConfiguration } from "../../configuration/send.ts";

/** A configuration on trial. */
export interface Trial extends DesiredState {
  readonly text: string;
  /** What has to be well, beside the node's answer. */
  readonly checks: readonly TrialCheck[];
  /** Length of the trial, in milliseconds. */
  readonly tryMs: number;
  /** When the node goes back, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** How much later than it said a node may go back, in milliseconds. */
const graceMs = 30_000;

/** Longest time for the answer to a confirmation, in milliseconds. */
const deadlineMs = 10_000;

/**
 * Confirms a configuration as soon as the node answers over a new connection, runs with
 * it, and passes the checks. When that does not happen in time, nothing is sent, and the
 * node is watched until it is back.
 *
 * @param site The node; it has the configuration on trial.
 */
export async function* concludeTrial(
  site: NodeContext,
  trial: Trial,
): AsyncGenerator<OperationProgress, Verdict> {
  const { clock, signal } = site;
  const { endsAt, tryMs } = trial;
  // A confirmation that comes too late would be another change.
  const lastCall = endsAt - Math.min(5_000, tryMs / 4);
  let missing = "the node was not checked";
  let reported = "";
  for await (const _ of poll(site, { timeoutMs: lastCall - clock.now() })) {
    const found = await attempt(site, trial);
    if (typeof found !== "string") return found;
    missing = found;
    if (missing !== reported) yield { text: `not confirmed yet: ${missing}` };
    reported = missing;
  }
  if (signal.aborted) {
    const reason = `not confirmed, so the node reverts: ${missing}`;
    return { outcome: "timed-out", reason };
  }
  yield {
    text: `not confirmed, waiting for the node to revert: ${missing}`,
  };
  return yield* watchReturn(site, trial, missing);
}

/** Looks, and confirms when all is well; otherwise says what is missing. */
async function attempt(
  { node }: NodeContext,
  trial: Trial,
): Promise<Verdict | string> {
  try {
    const { client, state, close } = await readConnected(node, trial);
    try {
      const { active, saved } = state;
      if (active !== trial.wanted) {
        return "the node has a different configuration";
      }
      const failing = await failingCheck(client, trial.checks);
      if (failing !== undefined) return failing;
      // A confirmation whose reply was lost.
      if (saved !== trial.wanted) await confirm(client, trial);
      const what = ["active", ...trial.checks].join(", ");
      return { outcome: "done", reason: `confirmed (${what})` };
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof OsctlError) return error.message;
    throw error;
  }
}

async function confirm(
  client: NodeContext["client"],
  { text }: Trial,
): Promise<void> {
  await sendConfiguration(client, { text, mode: Mode.NO_REBOOT, deadlineMs });
}

/** Waits for the old configuration; a node that moved is looked for where it was, too. */
async function* watchReturn(
  { node, clock, signal }: NodeContext,
  trial: Trial,
  missing: string,
): AsyncGenerator<OperationProgress, Verdict> {
  const end = trial.endsAt + graceMs;
  const aim: DesiredState = {
    ...trial,
    moves: false,
    wanted: trial.from ?? "",
  };
  let last: Verdict = { outcome: "never-returned", reason: missing };
  for await (
    const _ of poll({ clock, signal }, { timeoutMs: end - clock.now() })
  ) {
    try {
      const { state: { active, saved }, close } = await readConnected(
        node,
        aim,
      );
      close();
      if (active === trial.from) {
        const reason = `${missing}; the node has reverted`;
        return { outcome: "rolled-back", reason };
      }
      if (active === trial.wanted && saved === trial.wanted) {
        return {
          outcome: "done",
          reason: "confirmed, although the reply was lost",
        };
      }
      last = {
        outcome: "in-doubt",
        reason: `${missing}; the node has not reverted`,
      };
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      last = {
        outcome: "never-returned",
        reason: `${missing}; the node does not answer: ${error.message}`,
      };
    }
    yield { text: "waiting for the node to revert" };
  }
  return last;
}
