import { OsctlError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "../../../transport/gen/machine_etcd.ts";
import { enumName } from "../../../transport/node/enum_name.ts";
import { etcdAddresses } from "../../../transport/node/members.ts";
import { hexadecimal } from "../../etcd/etcd_facts.ts";
import { deadlineMs, type Feed } from "../feed.ts";
import { pollFeed } from "../source.ts";

/** An etcd member, with its own status. */
export interface EtcdMember {
  /** Member id, 16 hexadecimal digits. */
  readonly id: string;
  /** Host name of its node; empty if it never started. */
  readonly hostname: string;
  /** Address of its node; empty if it never started. */
  readonly address: string;
  /** True for a member without a vote. */
  readonly isLearner: boolean;
  /** Its own status; absent when it does not answer. */
  readonly status?: {
    /** Id of the leader it follows; sixteen zeros for none. */
    readonly leader: string;
    /** Size of its database in bytes. */
    readonly size: number;
    /** Bytes of it that hold data. */
    readonly used: number;
    /** Index of the last entry in its log. */
    readonly raftIndex: number;
    readonly raftTerm: number;
    /** Errors that it reports about itself. */
    readonly errors: readonly string[];
  };
  /** Reason why it does not answer; absent when it does. */
  readonly problem?: string;
}

/** etcd as seen by one of its members. */
export interface EtcdView {
  /** Node that reported members and alarms. */
  readonly node: string;
  readonly members: readonly EtcdMember[];
  /** Alarms: name, and id of the member; absent without access to them. */
  readonly alarms?:
    | readonly {
      /** `NOSPACE`, `CORRUPT`. */
      readonly name: string;
      /** Id of the member that raised it. */
      readonly member: string;
    }[]
    | undefined;
}

/** etcd, from the node, or from the first other node that runs a member. */
export const etcd: Feed<EtcdView> = pollFeed(
  "etcd",
  async ({ client, at, nodes }) => {
    const others = nodes.filter((node) => node !== client.node);
    let failure: unknown;
    for (const node of [client.node, ...others]) {
      try {
        // Sequential on purpose: the first response is enough.
        return await view(await at(node), at);
      } catch (error) {
        if (!(error instanceof OsctlError)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  },
);

async function view(
  client: NodeClient,
  at: (node: string) => Promise<NodeClient>,
): Promise<EtcdView> {
  const { machine, node } = client;
  const [list, alarms] = await Promise.all([
    machine.etcdMemberList({ queryLocal: true }, { deadlineMs }),
    // A role without access to alarms still sees the members.
    machine.etcdAlarmList({}, { deadlineMs }).catch(() => undefined),
  ]);
  const members = await Promise.all(
    single(list.messages).members.map(async (member) => {
      const [address = ""] = etcdAddresses(member);
      const known = {
        id: hexadecimal(member.id),
        hostname: member.hostname,
        address,
        isLearner: member.isLearner,
      };
      if (address === "") return { ...known, problem: "never started" };
      try {
        return { ...known, status: await readStatus(await at(address)) };
      } catch (error) {
        if (!(error instanceof OsctlError)) throw error;
        return { ...known, problem: error.message };
      }
    }),
  );
  return {
    node,
    members: members.sort((a, b) => a.hostname < b.hostname ? -1 : 1),
    alarms: alarms?.messages.flatMap(({ memberAlarms }) =>
      memberAlarms.map(({ alarm, memberId }) => ({
        name: enumName(AlarmType, alarm),
        member: hexadecimal(memberId),
      }))
    ),
  };
}

async function readStatus({ machine }: NodeClient) {
  const { messages } = await machine.etcdStatus({}, { deadlineMs });
  const { memberStatus } = single(messages);
  return {
    leader: hexadecimal(memberStatus?.leader ?? 0n),
    size: Number(memberStatus?.dbSize ?? 0n),
    used: Number(memberStatus?.dbSizeInUse ?? 0n),
    raftIndex: Number(memberStatus?.raftIndex ?? 0n),
    raftTerm: Number(memberStatus?.raftTerm ?? 0n),
    errors: memberStatus?.errors ?? [],
  };
}
