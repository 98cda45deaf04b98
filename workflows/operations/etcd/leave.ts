/** Removes members from etcd: the node's own, or a broken one. */

import { poll } from "../../../lib/poll.ts";
import { OsctlError } from "../../../errors.ts";
import { single } from "../../../transport/call/reply.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { hexadecimal } from "../../etcd/etcd_facts.ts";
import { untilSeen } from "../poll.ts";

type MemberKey = {
  /** Id of the member, 16 hexadecimal digits. */
  readonly member: string;
};

interface MemberSeen {
  /** Its id; `undefined` if etcd does not list it. */
  readonly member: string | undefined;
  readonly name: string;
}

const deadlineMs = 30_000;

/** `etcd leave`. Source: `MachineService.EtcdLeaveCluster`. */
export const etcdLeave: Operation<null, MemberSeen, MemberKey> = {
  name: "etcd leave",
  effect: "destroy",
  idempotency: "keyed",
  quorum: () => "leaves-forever",
  async observe({ client, cluster }) {
    const { messages } = await client.machine.etcdStatus({}, { deadlineMs });
    const { memberStatus } = single(messages);
    const member = hexadecimal(memberStatus?.memberId ?? 0n);
    return await seenIn(cluster, member);
  },
  plan: planRemoval,
  key: ({ member = "" }) => ({ member }),
  async *apply({ client }) {
    await client.machine.etcdLeaveCluster({}, { deadlineMs });
    yield { text: "the node is leaving etcd" };
  },
  reconcile: (context, _, key) => reconcileRemoval(context, key),
  verify: (context, _, key) => untilRemoved(context, key),
};

/** `etcd remove-member`. Source: `MachineService.EtcdRemoveMemberByID`. */
export const etcdRemoveMember: Operation<MemberKey, MemberSeen, MemberKey> = {
  name: "etcd remove-member",
  effect: "destroy",
  idempotency: "keyed",
  quorum: () => "leaves-forever",
  member: ({ member }) => member,
  observe: ({ cluster }, { member }) => seenIn(cluster, member),
  plan: planRemoval,
  key: (_, { member }) => ({ member }),
  async *apply({ client }, { member }) {
    const memberId = BigInt(`0x${member}`);
    await client.machine.etcdRemoveMemberByID({ memberId }, { deadlineMs });
    yield { text: `member ${member} is removed` };
  },
  reconcile: (context, _, key) => reconcileRemoval(context, key),
  verify: (context, _, key) => untilRemoved(context, key),
};

async function seenIn(
  cluster: NodeContext["cluster"],
  member: string,
): Promise<MemberSeen> {
  const { facts } = await cluster.readEtcd();
  // A member that is in no list may still be a member.
  if (facts.members.length === 0) {
    throw new OsctlError("Cannot read the etcd members", {
      hint: "See: osctl etcd members",
    });
  }
  const found = facts.members.find(({ id }) => id === member);
  return { member: found?.id, name: found?.name ?? "" };
}

function planRemoval({ member, name }: MemberSeen): readonly PlannedAction[] {
  if (member === undefined) return [];
  return [{
    action: `remove member ${member}`,
    loses: `etcd data of ${name || member}`,
  }];
}

/** Timeout for the member list, in milliseconds; a broken connection needs a moment to recover. */
const patienceMs = 30_000;

async function reconcileRemoval(
  context: NodeContext,
  { member }: MemberKey,
): Promise<Reconciled> {
  for await (const _ of poll(context, { timeoutMs: patienceMs })) {
    const { members } = (await context.cluster.readEtcd()).facts;
    if (members.some(({ id }) => id === member)) return "not-started";
    if (members.length > 0) return "done";
  }
  // Without an answer the list is unknown.
  return "unknown";
}

function untilRemoved(
  context: NodeContext,
  { member }: MemberKey,
): AsyncGenerator<OperationProgress, Verdict> {
  return untilSeen(context, async () => {
    const { facts } = await context.cluster.readEtcd();
    const left = facts.members.length;
    if (left === 0) return { missing: "no control plane lists the members" };
    return facts.members.some(({ id }) => id === member)
      ? { missing: `member ${member} is still listed` }
      : {
        verdict: {
          outcome: "done",
          reason: `member ${member} is removed, ${left} remaining`,
        },
      };
  });
}
