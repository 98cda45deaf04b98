/** Waiting until a node that was wiped starts anew. */

import { ConnectError, RpcError } from "../../errors.ts";
import type { Progress, Site, Verdict } from "./operation.ts";
import { setbackOf } from "../../transport/call/retryable.ts";
import { askBare } from "./unconfigured_node.ts";
import { readMachineState } from "../../transport/node/machine_state.ts";
import { inTime } from "./poll.ts";

/** Time between two looks, in milliseconds. */
const everyMs = 500;

/** Looks in a row after which a node that runs on counts as not resetting: 2 minutes or more. */
const idleLooks = 240;

/**
 * Waits until a node waits for a configuration, or runs another boot with the one it kept.
 *
 * @param bootId Boot it was reset in; `undefined` when that could not be read.
 * @returns `done`, `never-rebooted`, `never-returned` or `timed-out`.
 */
export async function* untilWiped(
  site: Site,
  bootId: string | undefined,
): AsyncGenerator<Progress, Verdict> {
  const { clock, signal } = site;
  let idle = 0;
  let told = "";
  let seen: Look = { missing: "no answer yet", away: false, idle: false };
  while (!signal.aborted) {
    const now = await inTime(signal, () => look(site, bootId));
    if (now === undefined) break;
    seen = now;
    if (seen.verdict !== undefined) return seen.verdict;
    idle = seen.idle ? idle + 1 : 0;
    if (idle > idleLooks) {
      return { outcome: "never-rebooted", reason: seen.missing };
    }
    if (seen.missing !== told) yield { text: told = seen.missing };
    await clock.sleep(everyMs, signal);
  }
  const outcome = seen.away ? "never-returned" : "timed-out";
  return { outcome, reason: seen.missing };
}

/** What one look finds. */
interface Look {
  /** What is not as it should be. */
  readonly missing: string;
  /** True when it could not be reached in either way. */
  readonly away: boolean;
  /** True when it runs as if nothing had been asked of it. */
  readonly idle: boolean;
  /** Set when nothing is left to wait for. */
  readonly verdict?: Verdict;
}

async function look(site: Site, bootId: string | undefined): Promise<Look> {
  try {
    const { bootId: now, stage, ready, version } = await readMachineState(
      site.client,
    );
    const known = bootId !== undefined && now !== undefined;
    if (!known || now === bootId) {
      const missing = `the node has not rebooted yet (stage ${stage})`;
      return { missing, away: false, idle: stage === "running" };
    }
    const missing = `stage ${stage || "unknown"}`;
    if (!ready || stage !== "running") {
      return { missing, away: false, idle: false };
    }
    const reason = `ready, ${version}, with the configuration it kept`;
    const verdict = { outcome: "done" as const, reason };
    return { missing: "", away: false, idle: false, verdict };
  } catch (error) {
    // A node that is in no cluster any more cannot be reached through one.
    if (!isOfNode(error)) throw error;
    return await lookPast(site);
  }
}

async function lookPast(site: Site): Promise<Look> {
  const bare = await askBare(site);
  if ("version" in bare) return waiting(bare.version);
  const { failure } = bare;
  const missing = `the node does not answer: ${failure.message}`;
  return { missing, away: setbackOf(failure) === "away", idle: false };
}

function waiting(version: string): Look {
  const known = version === "" ? "" : `, ${version}`;
  const reason = `waits for a configuration${known}`;
  const verdict = { outcome: "done" as const, reason };
  return { missing: "", away: false, idle: false, verdict };
}

function isOfNode(error: unknown): error is RpcError | ConnectError {
  return error instanceof RpcError || error instanceof ConnectError;
}
