/** Waiting until a node is off. */

import { ConnectError, RpcError } from "../../errors.ts";
import { setbackOf } from "../../transport/call/retryable.ts";
import type { Progress, Site, Verdict } from "./operation.ts";
import { leaving } from "./boot_key.ts";
import { readMachineState } from "../../transport/node/machine_state.ts";
import { inTime } from "./poll.ts";

/** Time between two looks, in milliseconds. */
const everyMs = 500;

/** Looks in a row that have to find a node silent for it to count as off: 3 s or more. */
const silentLooks = 6;

/** The same, when no endpoint answers either and the node was not seen on its way down: 15 s or more. */
const uncertainLooks = 30;

/** Looks in a row after which a node that runs on counts as not going off: 2 minutes or more. */
const idleLooks = 240;

/**
 * Waits until a node does not answer any more.
 *
 * @param bootId Boot it was asked in; `undefined` when that could not be read.
 * @returns `done`, `never-rebooted` for one that runs on, or `timed-out`.
 */
export async function* untilGone(
  site: Site,
  bootId: string | undefined,
): AsyncGenerator<Progress, Verdict> {
  const { clock, signal } = site;
  let wasLeaving = false;
  let silent = 0;
  let idle = 0;
  let missing = "no answer yet";
  let told = "";
  while (!signal.aborted) {
    const seen = await inTime(signal, () => glance(site, bootId));
    if (seen === undefined) break;
    if (seen.verdict !== undefined) return seen.verdict;
    wasLeaving ||= seen.leaving;
    idle = seen.idle ? idle + 1 : 0;
    silent = seen.away ? silent + 1 : 0;
    const enough = seen.blind && !wasLeaving ? uncertainLooks : silentLooks;
    if (silent > enough) {
      return { outcome: "done", reason: "the node does not answer any more" };
    }
    ({ missing } = seen);
    if (idle > idleLooks) {
      return { outcome: "never-rebooted", reason: missing };
    }
    if (missing !== told) yield { text: told = missing };
    await clock.sleep(everyMs, signal);
  }
  return { outcome: "timed-out", reason: missing };
}

/** What one look finds. */
interface Glance {
  /** What is not as it should be. */
  readonly missing: string;
  /** True when it could not be reached. */
  readonly away: boolean;
  /** True when no endpoint could be reached either. */
  readonly blind: boolean;
  /** True when it is on its way down. */
  readonly leaving: boolean;
  /** True when it runs as if nothing had been asked of it. */
  readonly idle: boolean;
  /** Set when nothing is left to wait for. */
  readonly verdict?: Verdict;
}

const nothing = { away: false, blind: false, leaving: false, idle: false };

async function glance(
  { client }: Site,
  bootId: string | undefined,
): Promise<Glance> {
  try {
    const state = await readMachineState(client);
    const known = bootId !== undefined && state.bootId !== undefined;
    if (known && state.bootId !== bootId) {
      const reason =
        `the node was off, and is in another boot (${state.stage})`;
      return {
        ...nothing,
        missing: reason,
        verdict: { outcome: "done", reason },
      };
    }
    return {
      ...nothing,
      missing: `the node still answers (stage ${state.stage || "unknown"})`,
      leaving: leaving.has(state.stage),
      idle: state.stage === "running",
    };
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof ConnectError)) {
      throw error;
    }
    const away = setbackOf(error) === "away";
    const blind = error instanceof ConnectError;
    const missing = `the node does not answer: ${error.message}`;
    return { ...nothing, missing, away, blind };
  }
}
