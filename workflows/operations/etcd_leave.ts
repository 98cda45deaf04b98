/** Taking members out of etcd: the node's own, or one that is broken. */

import { single } from "../../transport/reply.ts";
import type {
  Operation,
  PlannedAction,
  Progress,
  Reconciled,
  Site,
  Verdict,
} from "../operation.ts";
import { hexadecimal } from "./etcd_facts.ts";
import { untilSeen } from "./until_seen.ts";

/** What tells an attempt from others. */
export type MemberKey = {
  /** Id of the member, 16 hexadecimal digits. */
  readonly member: string;
};

/** A member as it was before. */
export interface MemberSeen {
  /** Its id; `undefined` when etcd does not list it. */
  readonly member: string | undefined;
  /** Its name. */
  readonly name: string;
}

const deadlineMs = 30_000;

/** `etcd leave`. Source: `MachineService.EtcdLeaveCluster`. */
export const etcdLeave: Operation<null, MemberSeen, MemberKey> = {
  name: "etcd leave",
  effect: "destroy",
  idempotency: "keyed",
  retryable: [],
  quorum: () => "leaves-forever",
  async observe({ client, cluster }) {
    const { messages } = await client.machine.etcdStatus({}, { deadlineMs });
    const { memberStatus } = single(messages);
    const member = hexadecimal(memberStatus?.memberId ?? 0n);
    return await seenIn(cluster, member);
  },
  plan: removalOf,
  key: ({ member = "" }) => ({ member }),
  async *apply({ client }) {
    await client.machine.etcdLeaveCluster({}, { deadlineMs });
    yield { text: "the node leaves etcd" };
  },
  reconcile: ({ cluster }, _, key) => reconcileRemoval(cluster, key),
  verify: (site, _, key) => untilRemoved(site, key),
};

/** `etcd remove-member`. Source: `MachineService.EtcdRemoveMemberByID`. */
export const etcdRemoveMember: Operation<MemberKey, MemberSeen, MemberKey> = {
  name: "etcd remove-member",
  effect: "destroy",
  idempotency: "keyed",
  retryable: [],
  quorum: () => "leaves-forever",
  member: ({ member }) => member,
  observe: ({ cluster }, { member }) => seenIn(cluster, member),
  plan: removalOf,
  key: (_, { member }) => ({ member }),
  async *apply({ client }, { member }) {
    const memberId = BigInt(`0x${member}`);
    await client.machine.etcdRemoveMemberByID({ memberId }, { deadlineMs });
    yield { text: `member ${member} is removed` };
  },
  reconcile: ({ cluster }, _, key) => reconcileRemoval(cluster, key),
  verify: (site, _, key) => untilRemoved(site, key),
};

async function seenIn(
  cluster: Site["cluster"],
  member: string,
): Promise<MemberSeen> {
  const { facts } = await cluster.readEtcd();
  const found = facts.members.find(({ id }) => id === member);
  return { member: found?.id, name: found?.name ?? "" };
}

function removalOf({ member, name }: MemberSeen): readonly PlannedAction[] {
  if (member === undefined) return [];
  return [{
    action: `remove member ${member}`,
    loses: `etcd data of ${name || member}`,
  }];
}

async function reconcileRemoval(
  cluster: Site["cluster"],
  { member }: MemberKey,
): Promise<Reconciled> {
  const { facts } = await cluster.readEtcd();
  // Without any answer nothing is known of the list.
  if (facts.members.length === 0) return "unknown";
  return facts.members.some(({ id }) => id === member) ? "not-started" : "done";
}

function untilRemoved(
  site: Site,
  { member }: MemberKey,
): AsyncGenerator<Progress, Verdict> {
  return untilSeen(site, async () => {
    const { facts } = await site.cluster.readEtcd();
    const left = facts.members.length;
    if (left === 0) return { missing: "no control plane tells its members" };
    return facts.members.some(({ id }) => id === member)
      ? { missing: `member ${member} is still listed` }
      : {
        verdict: {
          outcome: "done",
          reason: `member ${member} is removed, ${left} left`,
        },
      };
  });
}
