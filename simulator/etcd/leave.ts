/** Leaving an etcd cluster, and forfeiting its leadership. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";
import { toKey } from "../node/contents/content.ts";
import { memberIdText } from "./database.ts";
import type { SimulatedMember } from "../state/etcd.ts";
import { EtcdError, rpcAnswer, toRpcError, withPrefix } from "./etcd_error.ts";
import { stopEtcd } from "./etcd_service.ts";
import { askMember } from "./member_access.ts";

/** Timeout for removing a member while etcd is unhealthy, in milliseconds. */
const limitMs = 300_000;

/** Retry interval of a node, in milliseconds. */
const retryMs = 10_000;

/** Limit of retries of an unanswered removal. */
const maxDoubts = 3;

/** Timeout for the ID of the node's own member, in milliseconds. */
const identityMs = 180_000;

/**
 * Leaves the cluster: removes the member, stops the service and wipes its data. Throws
 * `EtcdError` if the other members refuse.
 */
export async function leaveCluster(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<void> {
  const id = await ownMember(node, signal);
  await removeWithRetries(node, { id, by: node, signal });
  await stopEtcd(node);
  await node.etcd.server.wipe();
}

/**
 * Removes a node's member through another control plane; the member then cannot run. Throws `RpcError` if that fails.
 */
export async function removeByOthers(node: SimulatedNode): Promise<void> {
  const { signal } = node.boot.power;
  const by =
    node.cluster.nodes.find((other) =>
      other !== node && other.etcd.server.isRunning()
    ) ?? node;
  const id = await rpcAnswer(ownMember(node, signal));
  await rpcAnswer(removeWithRetries(node, { id, by, signal }));
}

/** Removes a member. Throws EtcdError if etcd refuses or never replies. */
export async function removeMember(
  by: SimulatedNode,
  id: bigint,
): Promise<void> {
  for (let doubts = 0;; doubts++) {
    try {
      // A retry shows the outcome of a removal without a reply.
      return await askMember(by, (client) => client.remove(id));
    } catch (error) {
      if (doubts > 0 && isMemberNotFound(error)) return;
      const isInDoubt = error instanceof EtcdError &&
        error.code === "DEADLINE_EXCEEDED";
      if (!isInDoubt || doubts === maxDoubts) throw error;
    }
  }
}

async function removeWithRetries(
  node: SimulatedNode,
  { id, by, signal }: {
    readonly id: bigint;
    readonly by: SimulatedNode;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const pauseMs = node.cluster.etcd.backend.retryMs ?? retryMs;
  for (let waitedMs = 0;; waitedMs += pauseMs) {
    const { changes } = node.cluster.etcd.backend;
    const count = changes.count();
    try {
      // The reply decides on a retry.
      return await removeMember(by, id);
    } catch (error) {
      if (isMemberNotFound(error)) return;
      const isOver = waitedMs >= limitMs || signal.aborted;
      if (isOver || !mayRetry(error)) {
        throw withPrefix(error, `failed to remove member ${id}`);
      }
      await untilNextTry(node, { count, pauseMs, signal });
    }
  }
}

/**
 * Transfers the leadership to another member. Returns the name of the new leader; empty if this member was
 * not the leader. Throws `RpcError` if there is no other member or etcd refuses.
 */
export async function forfeitLeadership(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<string> {
  const id = await rpcAnswer(ownMember(node, signal));
  const doing = "failed to forfeit leadership";
  const listing = askMember(node, (client) => client.members());
  const members = await rpcAnswer(
    listing,
    `${doing}: failed to list etcd members`,
  );
  if (members.length === 1) {
    const why = "cannot forfeit leadership, only one member";
    throw new RpcError("UNKNOWN", `${doing}: ${why}`);
  }
  const { client } = node.etcd.server;
  const { leader } = await rpcAnswer(client.status(), doing);
  const other = members.find((member) => member.id !== id);
  if (leader !== id || !other) return "";
  try {
    await client.moveLeader(other.id);
    return other.name;
  } catch (error) {
    const isLate = error instanceof EtcdError && error.refusal === "notLeader";
    if (isLate) return "";
    throw toRpcError(error, doing);
  }
}

/** ID of the node's own member, from its resources. */
async function ownMember(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<bigint> {
  const key = toKey({ type: "EtcdMembers.etcd", id: "local" });
  const { boot: { resources } } = node;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const limit = resources.get(key)
    ? Promise.resolve()
    : node.clock.sleep(identityMs, ended).then(() => over.abort());
  while (!resources.get(key) && !ended.aborted) {
    // Other changes are checked too.
    await resources.changes.waitFor(resources.changes.end(), ended);
  }
  over.abort();
  await limit;
  const spec = resources.get(key)?.spec as { memberID: string } | undefined;
  if (spec) return BigInt(`0x${spec.memberID}`);
  const why = "context deadline exceeded";
  throw new EtcdError(`failed to get local etcd member ID: ${why}`);
}

function isMemberNotFound(error: unknown): boolean {
  return error instanceof EtcdError && error.refusal === "memberNotFound";
}

function mayRetry(error: unknown): boolean {
  if (!(error instanceof EtcdError)) return false;
  return error.refusal === "unhealthy" || error.refusal === "stopped";
}

async function untilNextTry(
  { clock, cluster }: SimulatedNode,
  { count, pauseMs, signal }: {
    readonly count: number;
    readonly pauseMs: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { backend } = cluster.etcd;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const pause = clock.sleep(pauseMs, ended);
  const change = backend.changes.after(count, ended);
  await Promise.race([pause, change]);
  over.abort();
  await Promise.all([pause, change]);
}

/** Checks that etcd can lose this node for a while. Throws `Error` with the reason, in the node's words. */
export async function checkUpgrade(node: SimulatedNode): Promise<void> {
  if (node.identity.machineType === "worker") return;
  const members = await askMember(node, (client) => client.members());
  if (members.length === 2) {
    throw new Error(
      "etcd member count(2) is insufficient to maintain quorum if upgrade commences",
    );
  }
  await Promise.all(members.map((member) => checkMember(node, member)));
}

/** Leaves the cluster and removes the data, if the node is a member. Throws `Error` if the other members refuse. */
export async function leaveForReset(node: SimulatedNode): Promise<void> {
  if (!await node.etcd.server.hasData()) return;
  const state = node.boot.services.get("etcd")?.state ?? "";
  if (!memberStates.has(state)) return;
  await leaveCluster(node, node.boot.power.signal);
}

/** Removes the data; the member stays registered in the cluster. */
export async function wipeEtcd({ faults, etcd }: SimulatedNode): Promise<void> {
  // The cause of the fault was in the data.
  faults.delete("etcd-stopped");
  await etcd.server.wipe();
}

/** Service states in which the node counts as a member. */
const memberStates: ReadonlySet<string> = new Set([
  "Running",
  "Stopping",
  "Failed",
]);

async function checkMember(
  { cluster, boot: { power } }: SimulatedNode,
  { id, name }: SimulatedMember,
): Promise<void> {
  const start = `etcd member ${memberIdText(id)} is not`;
  if (name === "") {
    throw new Error(
      `${start} started, all members must be running to perform an upgrade`,
    );
  }
  const other = cluster.nodes.find(({ identity }) =>
    identity.hostname === name
  );
  try {
    await other?.etcd.server.client.checkQuorum(power.signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${start} healthy; all members must be healthy to perform an upgrade: ${why}`,
    );
  }
}
