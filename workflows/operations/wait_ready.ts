/** Waits until a node is ready, by observation only. */

import { poll } from "../../lib/poll.ts";
import { type ConnectError, OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import {
  type MachineState,
  readMachineState,
} from "../../transport/node/machine_state.ts";
import {
  clusterMembers,
  type Member,
  memberNamed,
} from "../../transport/node/members.ts";
import type { NodeContext, OperationProgress, Verdict } from "./operation.ts";
import { inTime, isOfNode } from "./poll.ts";

/** Previous state, and the state to wait for. */
interface ReadyTarget {
  /** Previous boot id; `undefined` if it could not be read. */
  readonly bootId: string | undefined;
  /** True when the boot id must change. */
  readonly reboots: boolean;
  /** Required version; default any. */
  readonly version?: string;
}

/** Looks without an answer before a node is searched at other addresses: 2 s or more. */
const lookElsewhere = 4;

/** Grace period for a running node before it counts as not rebooting, in milliseconds. */
const graceMs = 120_000;

/** Waits until a node is ready again; `done`, `rolled-back`, `never-returned`, `never-rebooted` or `timed-out`. */
export async function* untilReady(
  context: NodeContext,
  target: ReadyTarget,
): AsyncGenerator<OperationProgress, Verdict> {
  const { clock, signal } = context;
  let idleSince = clock.now();
  let last: ReadyLook = { missing: "no answer yet", away: false };
  let wasAway = false;
  let reported = "";
  let away = 0;
  let moved: MovedNode | undefined;
  for await (const _ of poll(context)) {
    const { client } = moved ?? context;
    const seen = await inTime(signal, () => look(client, target, wasAway));
    if (seen === undefined) break;
    last = seen;
    wasAway ||= last.away;
    if (last.verdict !== undefined) return at(moved, last.verdict);
    away = last.away ? away + 1 : 0;
    if (away > 0 && away % lookElsewhere === 0) {
      moved = await findMovedNode(context);
      if (moved !== undefined) {
        yield { text: `the node is now at ${moved.address}` };
        continue;
      }
    }
    // An installer may take its time; only an idle node will not reboot any more.
    if (!last.idle) idleSince = clock.now();
    if (clock.now() - idleSince > graceMs) {
      return { outcome: "never-rebooted", reason: last.missing };
    }
    const text = formatActivity(last, target);
    if (text !== reported) yield { text: reported = text };
  }
  return await late(context, last);
}

function at(moved: MovedNode | undefined, verdict: Verdict): Verdict {
  if (moved === undefined) return verdict;
  return { ...verdict, reason: `${verdict.reason}, now at ${moved.address}` };
}

interface ReadyLook {
  readonly missing: string;
  /** Stage of the node; absent if it does not answer. */
  readonly stage?: string;
  /** True when the node was unreachable. */
  readonly away: boolean;
  /** True when it still runs the previous boot. */
  readonly sameBoot?: boolean;
  /** True when it runs as if it had no request. */
  readonly idle?: boolean;
  /** Set when nothing is left to wait for. */
  readonly verdict?: Verdict;
}

/** Formats what a node does: `installing`, `rebooting`, `booting (time: not synced)`; else what is missing. */
function formatActivity(
  { missing, away, sameBoot, stage = "" }: ReadyLook,
  { reboots }: ReadyTarget,
): string {
  if (away) return reboots ? "rebooting" : missing;
  if (sameBoot) return stages.get(stage) ?? missing;
  return stage === "booting" ? missing.replace("stage ", "") : missing;
}

/** Activities of nodes in the stages of their last boot. */
const stages: ReadonlyMap<string, string> = new Map([
  ["upgrading", "installing"],
  ["rebooting", "rebooting"],
]);

async function look(
  client: NodeClient,
  target: ReadyTarget,
  wasAway: boolean,
): Promise<ReadyLook> {
  let state: MachineState;
  try {
    state = await readMachineState(client);
  } catch (error) {
    return whatIsMissing(error);
  }
  return judge(state, target, wasAway);
}

/** A booting node may return any error, in maintenance mode, too; only an authorization error is final. */
function whatIsMissing(error: unknown): ReadyLook {
  if (error instanceof RpcError && refusals.has(error.code)) {
    const reason = `the node refused the request: ${error.message}`;
    const verdict = { outcome: "failed" as const, reason };
    return { missing: reason, away: false, verdict };
  }
  if (isOfNode(error)) {
    const away = failureKind(error) === "away";
    return { missing: `the node does not answer: ${error.message}`, away };
  }
  throw error;
}

const refusals: ReadonlySet<string> = new Set([
  "PERMISSION_DENIED",
  "UNAUTHENTICATED",
]);

/**
 * Compares the observed and the desired state.
 *
 * @param wasAway True if it was unreachable meanwhile, as a substitute for a boot id that may not be read.
 */
export function judge(
  state: MachineState,
  { bootId, reboots, version }: ReadyTarget,
  wasAway: boolean,
): ReadyLook {
  const known = bootId !== undefined && state.bootId !== undefined;
  const rebooted = known ? state.bootId !== bootId : wasAway;
  if (reboots && !rebooted) {
    const missing = `the node has not rebooted yet (stage ${state.stage})`;
    const idle = state.stage === "running";
    const { stage } = state;
    return { missing, away: false, sameBoot: true, idle, stage };
  }
  if (!state.ready || state.stage !== "running") {
    const unmet = state.unmet.length > 0 ? ` (${state.unmet.join("; ")})` : "";
    return {
      missing: `stage ${state.stage || "unknown"}${unmet}`,
      away: false,
      stage: state.stage,
    };
  }
  if (version !== undefined && state.version !== version) {
    const reason = `the node came back with ${state.version}, not ${version}`;
    return {
      missing: reason,
      away: false,
      verdict: { outcome: "rolled-back", reason },
    };
  }
  const reason = `ready, ${state.version}`;
  return { missing: "", away: false, verdict: { outcome: "done", reason } };
}

async function late(
  context: NodeContext,
  { missing, away, sameBoot }: ReadyLook,
): Promise<Verdict> {
  if (!away) {
    return {
      outcome: sameBoot ? "never-rebooted" : "timed-out",
      reason: missing,
    };
  }
  // A node without its configuration is no longer known to its cluster.
  const isUnconfigured = "version" in await askUnconfigured(context);
  const reason = isUnconfigured
    ? "the node lost its configuration and is in maintenance mode"
    : missing;
  return { outcome: "never-returned", reason };
}

interface MovedNode {
  readonly address: string;
  readonly client: NodeClient;
}

/** Timeout for each request, in milliseconds. */
const deadlineMs = 5_000;

/**
 * Asks the control planes for the new address of a node that no longer answers.
 *
 * @returns `undefined` when its address is unchanged, or another node answers at the new one.
 */
async function findMovedNode(
  { node, cluster }: Pick<NodeContext, "node" | "cluster">,
): Promise<MovedNode | undefined> {
  try {
    const members = await cluster.members();
    const before = memberNamed(members, node);
    if (before === undefined) return undefined;
    for (const other of members) {
      if (!other.controlPlane || other === before) continue;
      const found = await movedBy(other, before, cluster);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

async function movedBy(
  { address: asked }: Member,
  { address: old, hostname }: Member,
  cluster: NodeContext["cluster"],
): Promise<MovedNode | undefined> {
  try {
    const members = await clusterMembers(await cluster.at(asked), deadlineMs);
    const now = members.find((one) => one.hostname === hostname);
    if (now === undefined || now.address === old) return undefined;
    const client = await cluster.at(now.address);
    const { messages } = await client.machine.hostname({}, { deadlineMs });
    const name = single(messages).hostname;
    // A shared address may belong to another node by now.
    const isSame = hostname === name || hostname.startsWith(`${name}.`);
    return isSame ? { address: now.address, client } : undefined;
  } catch (error) {
    // The next one may have more.
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** Response of a node called directly, without its cluster's certificates. */
export type UnconfiguredAnswer =
  | {
    /** Running version; empty if it does not report it without credentials. */
    readonly version: string;
  }
  | {
    /** Reason why it is not known to wait for a configuration. */
    readonly failure: RpcError | ConnectError;
  };

/**
 * Checks directly whether a node waits for a configuration; no other node can tell.
 *
 * @returns Its running version, or the error.
 */
export async function askUnconfigured(
  { node, cluster }: Pick<NodeContext, "node" | "cluster">,
): Promise<UnconfiguredAnswer> {
  try {
    const { machine } = await cluster.unconfigured(node);
    const { messages } = await machine.version({}, { deadlineMs });
    return { version: single(messages).version?.tag ?? "" };
  } catch (failure) {
    if (!isOfNode(failure)) throw failure;
    // Maintenance mode accepts any client with few permissions; a configured node does not accept them.
    const hidesVersion = failure instanceof RpcError &&
      failure.code === "UNIMPLEMENTED";
    return hidesVersion ? { version: "" } : { failure };
  }
}
