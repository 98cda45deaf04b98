/** Telling a run something from another process, for all commands that do. */

import { locateRuns } from "../../../config/osconfig/location.ts";
import { pause } from "../../../lib/pause.ts";
import {
  deliver,
  type Delivered,
  type Delivery,
} from "../store/deliver_message.ts";
import type { MessageSender } from "../store/inbox.ts";
import type { Environment } from "../../../terminal/environment.ts";
import type { RunSession } from "./run_session.ts";
import { findOperator } from "../store/operator.ts";

/** Longest wait for a process that is to take a message, in milliseconds. */
const patienceMs = 10_000;

/** Who tells a run something, when, and why. `reason`: why; omitted when it is empty or absent. */
export function senderNow(
  environment: Pick<Environment, "env" | "now">,
  reason: string | undefined,
): MessageSender {
  return {
    by: findOperator(environment),
    at: environment.now().toISOString(),
    ...reason ? { reason } : {},
  };
}

/** Tells a run something, and says on standard error when its process does not look. */
export async function sendMessage(
  { environment, signal, note }: Pick<
    RunSession,
    "environment" | "signal" | "note"
  >,
  reported: Pick<Delivery, "id" | "message" | "record">,
): Promise<Delivered> {
  const late = AbortSignal.timeout(patienceMs);
  const delivered = await deliver({
    ...reported,
    runs: locateRuns(environment.env),
    now: environment.now,
    sleep: pause,
    signal: AbortSignal.any([signal, late]),
  });
  if (delivered === "left") {
    note(
      `The process of run "${reported.id}" has not responded for ${
        patienceMs / 1_000
      } s; the message stays queued`,
    );
  }
  return delivered;
}
