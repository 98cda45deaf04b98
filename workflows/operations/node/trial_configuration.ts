/** End of a trial: confirmation, or rollback to the previous configuration. */

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
  /** Checks to pass, besides an answer. */
  readonly checks: readonly TrialCheck[];
  /** Duration of the trial, in milliseconds. */
  readonly tryMs: number;
  /** Time of the rollback, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** Tolerated delay of a rollback, in milliseconds. */
const graceMs = 30_000;

/** Timeout for the confirmation, in milliseconds. */
const deadlineMs = 10_000;

/**
 * Confirms a configuration when the node answers over a new connection, runs with it, and passes the checks. Otherwise
 * sends nothing, and waits for the rollback.
 *
 * @param context The node; it has the configuration on trial.
 */
export async function* concludeTrial(
  context: NodeContext,
  trial: Trial,
): AsyncGenerator<OperationProgress, Verdict> {
  const { clock, signal } = context;
  const { endsAt, tryMs } = trial;
  // A late confirmation would be another change.
  const lastCall = endsAt - Math.min(5_000, tryMs / 4);
  let missing = "the node was not checked";
  let reported = "";
  for await (const _ of poll(context, { timeoutMs: lastCall - clock.now() })) {
    const found = await attempt(context, trial);
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
  return yield* watchReturn(context, trial, missing);
}

/** Checks and confirms; otherwise reports what is missing. */
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
      // Otherwise the response to a confirmation was lost.
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

/** Waits for the old configuration; a node that moved is also tried at its old address. */
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
