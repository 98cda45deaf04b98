/** Sends messages to a run from another process. */

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

/** Timeout for the delivery of a message, in milliseconds. */
const patienceMs = 10_000;

/** Sender, time and reason of a message. `reason`: omitted when empty or absent. */
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

/** Sends a message to a run, and warns on standard error when its process does not read it. */
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
