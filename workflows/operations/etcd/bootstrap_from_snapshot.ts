/** Recovers etcd on one chosen node; the outcome is found by observation. */

import { poll } from "../../../lib/poll.ts";
import { OsctlError, RefusedError } from "../../../errors.ts";
import { memberNamed } from "../../../transport/node/members.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Verdict,
} from "../operation.ts";
import {
  fileHash,
  snapshotMessages,
} from "../../etcd/snapshot/snapshot_file.ts";
import { beginEtcd } from "./bootstrap.ts";
import {
  type EtcdOnNode,
  isWaiting,
  readEtcdIfReachable,
  readEtcdOnNode,
} from "./etcd_state.ts";

type RecoveryInput = {
  readonly file: string;
  /** SHA-256 of the chosen file; null for any. */
  readonly sha256: string | null;
  /** True for copies of a data directory, which have no checksum. */
  readonly skipHashCheck: boolean;
  /** Control planes that the operator has declared dead. */
  readonly dead: readonly string[];
};

interface RecoverySeen {
  readonly here: EtcdOnNode;
  /** Other control planes with a member or data. */
  readonly members: readonly string[];
  /** Other control planes that do not answer, and were not declared dead. */
  readonly silent: readonly string[];
  /** Current SHA-256 of the file. */
  readonly sha256: string;
  readonly same: boolean;
}

type RecoveryKey = {
  readonly sha256: string;
  /** Boot id at its start; null when it may not be read. */
  readonly bootId: string | null;
};

const deadlineMs = 30_000;
/** Maximum wait for an unavailable node, in milliseconds. */
const patienceMs = 60_000;

/** `etcd.bootstrapFromSnapshot`. Source: `MachineService.EtcdRecover` and `Bootstrap`. */
export const bootstrapFromSnapshot: Operation<
  RecoveryInput,
  RecoverySeen,
  RecoveryKey
> = {
  name: "etcd.bootstrapFromSnapshot",
  effect: "disrupt",
  idempotency: "once",
  quorum: () => "none",
  already: "etcd already runs",
  observe,
  plan,
  key: ({ sha256, here }) => ({ sha256, bootId: here.bootId }),
  async *apply(context, input) {
    const { client, signal } = context;
    yield { text: `sending ${input.file}` };
    // Replaces the upload of an earlier attempt.
    const messages = snapshotMessages(input.file, signal);
    await client.machine.etcdRecover(messages, { deadlineMs: 0 });
    yield { text: "bootstrapping" };
    yield* beginEtcd(context, true, input.skipHashCheck, true);
  },
  reconcile,
  verify,
};

async function observe(
  context: NodeContext,
  { file, sha256, dead }: RecoveryInput,
): Promise<RecoverySeen> {
  const { client, signal } = context;
  const now = await fileHash(file, signal);
  const here = await readEtcdOnNode(client, signal);
  const others = await lookAtOthers(context);
  const isDead = (node: Other) =>
    dead.includes(node.address) || dead.includes(node.hostname);
  return {
    here,
    members: listAddresses(
      others,
      ({ state }) => state !== undefined && has(state),
    ),
    silent: listAddresses(
      others,
      (one) => one.state === undefined && !isDead(one),
    ),
    sha256: now,
    same: sha256 === null || sha256 === now,
  };
}

interface Other {
  readonly address: string;
  readonly hostname: string;
  readonly state: EtcdOnNode | undefined;
}

async function lookAtOthers(
  { node, cluster, signal }: NodeContext,
): Promise<readonly Other[]> {
  const known = await cluster.members();
  const own = memberNamed(known, node);
  const others = known.filter((one) => one.controlPlane && one !== own);
  return await Promise.all(others.map(async ({ address, hostname }) => ({
    address,
    hostname,
    state: await readEtcdIfReachable(await cluster.at(address), signal),
  })));
}

function listAddresses(
  others: readonly Other[],
  wanted: (one: Other) => boolean,
): readonly string[] {
  return others.filter(wanted).map(({ address }) => address);
}

function has({ service, dataDir }: EtcdOnNode): boolean {
  return dataDir === "data" || (service !== "" && !isWaiting(service));
}

function plan(
  { here, members, silent, same }: RecoverySeen,
): readonly PlannedAction[] {
  if (!same) {
    throw new RefusedError(
      "The snapshot file has changed since it was chosen",
      {
        hint: "Choose the snapshot again",
      },
    );
  }
  const [member] = members;
  if (member !== undefined) {
    throw new RefusedError(`${member} has etcd data (S13)`, {
      hint:
        "A second bootstrap would create a second etcd cluster: wipe the node first",
    });
  }
  const [quiet] = silent;
  if (quiet !== undefined) {
    throw new RefusedError(
      `${quiet} does not report whether it has etcd data (S13)`,
      {
        hint: "Bring the node back, or declare it dead if it is gone",
      },
    );
  }
  if (here.service === "") {
    throw new RefusedError("The node is not a control plane", {
      hint: "Choose a control plane",
    });
  }
  if (here.healthy) return [];
  if (!isEmpty(here)) {
    throw new RefusedError("The node already has etcd data", {
      hint: "Wipe the node first; if etcd is starting, wait",
    });
  }
  return [{ action: "recover etcd from the snapshot" }];
}

async function reconcile(
  context: NodeContext,
  _: RecoveryInput,
  __: RecoveryKey,
): Promise<Reconciled> {
  const { client, signal } = context;
  const often = { everyMs: 1_000, timeoutMs: patienceMs };
  for await (const _ of poll(context, often)) {
    const others = await lookAtOthers(context);
    const members = others.filter(({ state }) =>
      state !== undefined && has(state)
    );
    const here = await readEtcdIfReachable(client, signal);
    // There may be two clusters now; an operator must decide which is right.
    const isOne = members.length === 0 ||
      here?.healthy === true && await hasJoined(context, members);
    if (here?.healthy) return isOne ? "done" : "unknown";
    // Until etcd has started, a bootstrap exists in memory only, and a reboot loses it.
    if (here !== undefined && isEmpty(here)) {
      return isOne ? "not-started" : "unknown";
    }
    if (isOne && here?.dataDir === "data") return "in-progress";
  }
  return "unknown";
}

/** Reports whether nodes have joined the cluster of this one. */
async function hasJoined(
  { client, signal }: NodeContext,
  members: readonly Other[],
): Promise<boolean> {
  try {
    const { messages } = await client.machine.etcdMemberList({
      queryLocal: true,
    }, { deadlineMs, signal });
    const known = new Set(
      messages.flatMap(({ members }) =>
        members.map(({ hostname }) => hostname)
      ),
    );
    return members.every(({ hostname }) => known.has(hostname));
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}

async function* verify(
  { client, clock, signal }: NodeContext,
  _: RecoveryInput,
  { bootId }: RecoveryKey,
): AsyncGenerator<OperationProgress, Verdict> {
  let missing = "";
  for await (const _ of poll({ clock, signal }, { everyMs: 1_000 })) {
    const here = await readEtcdIfReachable(client, signal);
    if (here?.healthy) return { outcome: "done", reason: "etcd is running" };
    if (here !== undefined && isForgotten(here, bootId)) {
      const reason = "the node rebooted during the bootstrap and lost it";
      return { outcome: "failed", reason, code: "not-started" };
    }
    if (here?.service === "Failed") {
      return { outcome: "failed", reason: "etcd failed on the node" };
    }
    const text = here === undefined
      ? "the node does not answer"
      : `etcd is ${here.service.toLowerCase()}`;
    if (text !== missing) yield { text: missing = text };
  }
  return {
    outcome: "timed-out",
    reason: missing || "the node does not answer",
  };
}

function isForgotten(here: EtcdOnNode, bootId: string | null): boolean {
  return isEmpty(here) && bootId !== null && here.bootId !== null &&
    here.bootId !== bootId;
}

function isEmpty({ service, dataDir }: EtcdOnNode): boolean {
  return dataDir === "empty" && isWaiting(service);
}
