/** Waits until a node is off, or has restarted after a wipe. */

import { ConnectError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import {
  type MachineState,
  readMachineState,
} from "../../transport/node/machine_state.ts";
import { leaving } from "../../transport/node/machine_state.ts";
import type { NodeContext, OperationProgress, Verdict } from "./operation.ts";
import { isOfNode, type LookResult, untilDecided } from "./poll.ts";
import { askUnconfigured } from "./wait_ready.ts";

/** Consecutive looks without an answer before a node counts as off: 3 s or more. */
const silentLooks = 6;

/** The same, when no endpoint answers either and its shutdown was not observed: 15 s or more. */
const uncertainLooks = 30;

/** Consecutive looks after which a running node counts as not shutting down, or not resetting: 2 minutes or more. */
const idleLooks = 240;

/** A node seen to begin its shutdown or reset. */
interface LeavingNode {
  /** Boot id at the request; `undefined` if it could not be read. */
  readonly bootId: string | undefined;
  /** True when it must have lost its configuration in its next boot. */
  readonly losesConfiguration?: boolean;
  /** Reports whether its partitions were wiped; `undefined` if that is not known. */
  readonly isWiped?: () => Promise<boolean | undefined>;
}

/**
 * Waits until a node no longer answers, which means off when it was seen to begin its shutdown.
 *
 * @returns `done`, `failed` for one that kept its configuration, `never-rebooted` for one that keeps running, or
 * `timed-out`.
 */
export function untilOff(
  context: NodeContext,
  { bootId, losesConfiguration }: LeavingNode,
): AsyncGenerator<OperationProgress, Verdict> {
  let wasLeaving = false;
  let silent = 0;
  const idle = idleCount();
  return untilDecided(context, async () => {
    try {
      const state = await readMachineState(context.client);
      const { stage } = state;
      silent = 0;
      if (isOtherBoot(state, bootId)) {
        if (losesConfiguration) return notWiped;
        return doneResult(`the node shut down and booted again (${stage})`);
      }
      wasLeaving ||= leaving.has(stage);
      const missing = `the node still answers (stage ${stage || "unknown"})`;
      return idle(stage, missing);
    } catch (error) {
      if (!isOfNode(error)) throw error;
      const isBlind = error instanceof ConnectError;
      silent = failureKind(error) === "away" ? silent + 1 : 0;
      const missing = `the node does not answer: ${error.message}`;
      idle("", missing);
      const enough = isBlind && !wasLeaving ? uncertainLooks : silentLooks;
      return silent > enough
        ? doneResult("the node no longer answers")
        : { missing };
    }
  });
}

/** Result of a reset the node has aborted: it boots unchanged. */
const notWiped: LookResult = {
  verdict: {
    outcome: "failed",
    reason: "the node has rebooted and was not wiped",
    hint: "See why with: osctl dmesg",
  },
};

/**
 * Waits until a resetting node waits for a configuration, or runs another boot with the one it kept.
 *
 * @returns `done`, `failed` for one that was not wiped, `never-rebooted`, `never-returned` or `timed-out`.
 */
export function untilWiped(
  context: NodeContext,
  { bootId, losesConfiguration, isWiped }: LeavingNode,
): AsyncGenerator<OperationProgress, Verdict> {
  let away = false;
  let isBrokenOff = false;
  const idle = idleCount();
  return untilDecided(context, async () => {
    try {
      const state = await readMachineState(context.client);
      const { stage, ready, version } = state;
      away = false;
      if (!isOtherBoot(state, bootId)) {
        // A failed reset ends in a reboot.
        isBrokenOff ||= stage === "rebooting";
        return idle(stage, `the node has not rebooted yet (stage ${stage})`);
      }
      if (losesConfiguration || isBrokenOff) return notWiped;
      if (!ready || stage !== "running") {
        return idle("", `stage ${stage || "unknown"}`);
      }
      return await isWiped?.() === false
        ? notWiped
        : doneResult(`ready, ${version}, with its configuration`);
    } catch (error) {
      if (!isOfNode(error)) throw error;
      // A node outside of any cluster cannot be reached through an endpoint.
      const answer = await askUnconfigured(context);
      if ("version" in answer) {
        const known = answer.version === "" ? "" : `, ${answer.version}`;
        return doneResult(`is in maintenance mode${known}`);
      }
      const { failure } = answer;
      away = failureKind(failure) === "away";
      return idle("", `the node does not answer: ${failure.message}`);
    }
  }, () => away ? "never-returned" : "timed-out");
}

function isOtherBoot(
  { bootId }: MachineState,
  before: string | undefined,
): boolean {
  return before !== undefined && bootId !== undefined && bootId !== before;
}

/** Counts consecutive looks that find a node running as if it had no request. */
function idleCount(): (stage: string, missing: string) => LookResult {
  let looks = 0;
  return (stage, missing) => {
    looks = stage === "running" ? looks + 1 : 0;
    if (looks <= idleLooks) return { missing };
    return { verdict: { outcome: "never-rebooted", reason: missing } };
  };
}

function doneResult(reason: string): LookResult {
  return { verdict: { outcome: "done", reason } };
}
