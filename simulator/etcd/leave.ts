/** How a control plane gives up its membership, or its leadership. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";
import { toKey } from "../node/contents/content.ts";
import { memberIdText } from "./database.ts";
import type { SimulatedMember } from "../state/etcd.ts";
import { EtcdError, rpcAnswer, toRpcError, withPrefix } from "./etcd_error.ts";
import { stopEtcd } from "./etcd_service.ts";
import { askMember } from "./member_access.ts";

/** How long the others are asked to let a node go while etcd is not healthy enough, in milliseconds. */
const limitMs = 300_000;

/** Time between two tries of a node, in milliseconds. */
const retryMs = 10_000;

/** How often a removal that is not answered is tried again. */
const maxDoubts = 3;

/** How long a node waits to learn who its own member is, in milliseconds. */
const identityMs = 180_000;

/**
 * Leaves the cluster: the member is removed, the service stopped, and its data wiped. Throws
 * `EtcdError` when the others do not let it go.
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
 * Lets another control plane remove a node's member, which then cannot run any more. Throws `RpcError`
 * when it does not.
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

/** Removes a member. Throws EtcdError when etcd refuses, or never answers. */
export async function removeMember(
  by: SimulatedNode,
  id: bigint,
): Promise<void> {
  for (let doubts = 0;; doubts++) {
    try {
      // Another try tells what became of one without an answer.
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
      // Whether another try is needed is what the answer says.
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
 * Gives the leadership to another member. Returns name of the new leader; empty when this member was
 * none. Throws `RpcError` when there is no other member, or etcd refuses.
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

/** Identity of the node's own member, as its resources tell it. */
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
    // Whatever else changes meanwhile is checked as well.
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

/**
 * Checks whether the others can do without this node for a while. Throws `Error` with the reason, as
 * the node says it.
 */
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

/**
 * Leaves the cluster and removes the data, if the node is a member. Throws `Error` when the others do
 * not let it go.
 */
export async function leaveForReset(node: SimulatedNode): Promise<void> {
  if (!await node.etcd.server.hasData()) return;
  const state = node.boot.services.get("etcd")?.state ?? "";
  if (!memberStates.has(state)) return;
  await leaveCluster(node, node.boot.power.signal);
}

/** Removes the data; the member stays on the others' lists. */
export async function wipeEtcd({ faults, etcd }: SimulatedNode): Promise<void> {
  // What kept it from running was in its data.
  faults.delete("etcd-stopped");
  await etcd.server.wipe();
}

/** States of the service in which the node counts as a member. */
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
