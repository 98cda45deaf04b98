/** Evidence that a node has begun a request: nodes acknowledge every request first, and may refuse it then. */

import { poll } from "../../lib/poll.ts";
import { eventTypePrefix } from "../../talos.ts";
import { Code } from "../../transport/gen/common.ts";
import type { Event } from "../../transport/gen/machine.ts";
import {
  SequenceEvent,
  SequenceEvent_Action as Action,
} from "../../transport/gen/machine_events.ts";
import { readMachineState } from "../../transport/node/machine_state.ts";
import { leaving } from "../../transport/node/machine_state.ts";
import type { NodeContext, OperationProgress, Verdict } from "./operation.ts";
import { ifAvailable } from "./poll.ts";

interface AskedSequence {
  /** Stage during the sequence: `resetting`. */
  readonly stage: string;
  /** Boot id at the request; `undefined` if it could not be read. */
  readonly bootId: string | undefined;
  /** Sends the request; returns its actor id in the node's events. */
  readonly ask: () => Promise<string>;
}

/** Timeout for opening the event stream, in milliseconds. */
const openMs = 2_000;

/** Maximum wait of a node for another sequence before it begins this one, in milliseconds. */
const longestMs = 75_000;

/** Maximum wait for a node that runs another sequence, or is silent, in milliseconds. */
const patienceMs = 15_000;

/**
 * Sends a request and waits until the node's events or stage show that it has begun.
 *
 * @returns `undefined` when it has begun, `refused` when the node reported that it does not begin, and `in-doubt` when
 * neither was observed.
 */
export async function* untilBegun(
  context: NodeContext,
  { stage, bootId, ask }: AskedSequence,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const { client, clock, signal } = context;
  const events = await watchSequences(context);
  try {
    const actor = await ask();
    yield { text: `the node has taken the request (actor ${actor})` };
    let seen = "";
    let aloneSince = clock.now();
    for await (const waitedMs of poll(context)) {
      const event = events.of(actor);
      if (event?.error?.code === Code.LOCKED) return lockedVerdict();
      const state = event === undefined
        ? await ifAvailable(() => readMachineState(client))
        : undefined;
      if (event !== undefined || state?.stage === stage) {
        yield { text: `the node is ${stage}` };
        return undefined;
      }
      const isOther = bootId !== undefined && state?.bootId !== undefined &&
        state.bootId !== bootId;
      seen = state === undefined
        ? "it does not answer any more"
        : isOther
        ? "it has rebooted"
        : `its stage is ${state.stage || "unknown"}`;
      const isRunning = state !== undefined && !isOther &&
        !leaving.has(state.stage);
      if (isRunning) aloneSince = clock.now();
      const isOver = waitedMs >= longestMs ||
        clock.now() - aloneSince >= patienceMs;
      if (isOver) break;
    }
    signal.throwIfAborted();
    return {
      outcome: "in-doubt",
      reason:
        `the node took the request, but was not seen to begin it: ${seen}`,
      hint: "Check the node, and run it again if nothing has happened",
    };
  } finally {
    events.stop();
  }
}

function lockedVerdict(): Verdict {
  return {
    outcome: "refused",
    reason:
      "the node took the request and then refused it: it is already shutting down, rebooting, resetting or upgrading",
    code: "locked",
    hint: "Wait until the node has finished that, then try again",
  };
}

interface WatchedSequences {
  /** First event of the sequence of a request; `undefined` if there is none yet. */
  readonly of: (actor: string) => SequenceEvent | undefined;
  readonly stop: () => void;
}

/** Follows the sequences of a node; without events if that fails. */
async function watchSequences(
  { client: { machine }, clock, signal }: NodeContext,
): Promise<WatchedSequences> {
  const stop = new AbortController();
  const seen = new Map<string, SequenceEvent>();
  const open = new AbortController();
  const follow = async () => {
    try {
      const ends = AbortSignal.any([signal, stop.signal]);
      for await (const event of machine.events({}, { signal: ends })) {
        open.abort();
        const { actorId } = event;
        if (actorId === "" || seen.has(actorId)) continue;
        const sequence = sequenceIn(event);
        if (sequence !== undefined) seen.set(actorId, sequence);
      }
    } catch {
      // The stage of the node says the same, a little later.
    } finally {
      open.abort();
    }
  };
  follow();
  await clock.sleep(openMs, open.signal);
  return { of: (actor) => seen.get(actor), stop: () => stop.abort() };
}

function sequenceIn({ data }: Event): SequenceEvent | undefined {
  if (data?.typeUrl !== `${eventTypePrefix}machine.SequenceEvent`) {
    return undefined;
  }
  const event = SequenceEvent.decode(data.value);
  return event.action === Action.STOP ? undefined : event;
}
