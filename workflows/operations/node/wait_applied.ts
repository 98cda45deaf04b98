import { poll } from "../../../lib/poll.ts";
import { OsctlError } from "../../../errors.ts";
import type { NodeContext, OperationProgress, Verdict } from "../operation.ts";
import { untilReady } from "../wait_ready.ts";
import type { DesiredState } from "../../configuration/desired_state.ts";
import {
  type ConfigurationState,
  readConnected,
} from "../../configuration/pending_change.ts";

/** Timeout for a node that need not reboot, in milliseconds. */
const patienceMs = 60_000;

/** Waits until a node runs with the configuration and answers over a new connection. */
export function untilActive(
  context: NodeContext,
  aim: DesiredState,
): AsyncGenerator<OperationProgress, Verdict> {
  return until(
    context,
    aim,
    ({ active }) =>
      active === aim.wanted
        ? { outcome: "done", reason: "the configuration is active" }
        : undefined,
  );
}

/** Waits until a node has staged the configuration for its next boot. */
export function untilSaved(
  context: NodeContext,
  aim: DesiredState,
): AsyncGenerator<OperationProgress, Verdict> {
  return until(context, aim, ({ saved }) =>
    // Old nodes do not show it; they have acknowledged it.
    saved === null || saved === aim.wanted
      ? { outcome: "done", reason: "takes effect with the next reboot" }
      : undefined);
}

/**
 * Waits until a node has rebooted with the configuration.
 *
 * @param bootId Previous boot id; null when it may not be read.
 */
export async function* untilRebooted(
  context: NodeContext,
  aim: DesiredState,
  bootId: string | null,
): AsyncGenerator<OperationProgress, Verdict> {
  const [place] = aim.places;
  const moved = aim.moves && place !== undefined
    ? await aim.dial(context.node, place)
    : undefined;
  try {
    const there = moved === undefined
      ? context
      : { ...context, client: moved.client };
    const verdict = yield* untilReady(there, {
      bootId: bootId ?? undefined,
      reboots: true,
    });
    if (verdict.outcome !== "done") return verdict;
    return yield* untilActive(context, aim);
  } finally {
    moved?.close();
  }
}

async function* until(
  { node, clock, signal }: NodeContext,
  aim: DesiredState,
  judge: (state: ConfigurationState) => Verdict | undefined,
): AsyncGenerator<OperationProgress, Verdict> {
  let away = "";
  const pace = { clock, signal };
  for await (const _ of poll(pace, { timeoutMs: patienceMs })) {
    try {
      const { state, close } = await readConnected(node, aim);
      close();
      const verdict = judge(state);
      if (verdict !== undefined) return verdict;
      away = "";
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      away = error.message;
    }
    if (signal.aborted) break;
    yield {
      text: away === "" ? otherText : `the node does not answer: ${away}`,
    };
  }
  return away === ""
    ? { outcome: "timed-out", reason: otherText }
    : { outcome: "never-returned", reason: away };
}

const otherText = "the node has a different configuration";
