import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { hexadecimal } from "../../workflows/etcd/etcd_facts.ts";
import { bytesText, type Command, table } from "../_kit/mod.ts";
import { readControlPlanes } from "../_kit/one_node.ts";

/** Status of a member. Source: `MachineService.EtcdStatus`. */
interface EtcdStatusRow {
  readonly node: string;
  /** Member id, 16 hexadecimal digits. */
  readonly member: string;
  /** Host name of the member's node; empty if unknown. */
  readonly hostname: string;
  /** Size of the database in bytes. */
  readonly dbSize: number;
  /** Size of the data in use, in bytes. */
  readonly dbSizeInUse: number;
  /** Id of the leader; sixteen zeros if there is none. */
  readonly leader: string;
  /** Index of the last log entry. */
  readonly raftIndex: number;
  readonly raftTerm: number;
  /** Index of the last applied entry. */
  readonly raftAppliedIndex: number;
  /** True for a non-voting member. */
  readonly learner: boolean;
  readonly protocol: string;
  /** Storage version; empty from nodes before 1.11. */
  readonly storage: string;
  /** Errors reported by the member. */
  readonly errors: readonly string[];
}

export const command: Command<EtcdStatusRow> = {
  summary: "Show the etcd status of each node",
  inputs: {},
  examples: ["etcd status --nodes @controlplane"],
  view: table({
    NODE: { cell: ({ node }) => node, name: true },
    HOSTNAME: {
      cell: ({ hostname }) => hostname,
      name: true,
      extra: true,
    },
    ROLE: {
      cell: formatRole,
      tone: (row) => formatRole(row) === "no leader" ? "bad" : undefined,
      priority: 0,
      extra: true,
    },
    MEMBER: { cell: ({ member }) => member, priority: 3 },
    "DB SIZE": {
      cell: ({ dbSize }) => bytesText(dbSize),
      value: ({ dbSize }) => dbSize,
      priority: 2,
    },
    "IN USE": {
      cell: inUse,
      value: ({ dbSizeInUse }) => dbSizeInUse,
      priority: 5,
    },
    LEADER: { cell: ({ leader }) => leader, priority: 4 },
    "RAFT INDEX": { cell: ({ raftIndex }) => String(raftIndex), priority: 8 },
    "RAFT TERM": { cell: ({ raftTerm }) => String(raftTerm), priority: 7 },
    "RAFT APPLIED INDEX": {
      cell: ({ raftAppliedIndex }) => String(raftAppliedIndex),
      priority: 9,
    },
    LEARNER: {
      cell: ({ learner }) => String(learner),
      tone: ({ learner }) => learner ? "changing" : undefined,
      priority: 12,
    },
    PROTOCOL: { cell: ({ protocol }) => protocol, priority: 10 },
    STORAGE: { cell: ({ storage }) => storage, priority: 11 },
    ERRORS: {
      cell: ({ errors }) => errors.join(", "),
      tone: () => "bad",
      prose: true,
      priority: 0,
    },
  }),
  async *run(context) {
    const nodes = await readControlPlanes(context);
    const answers = nodes.call(async ({ machine }) => {
      const [{ messages }, hostnames] = await Promise.all([
        machine.etcdStatus({}),
        readHostnames(machine),
      ]);
      return { memberStatus: single(messages).memberStatus, hostnames };
    });
    for await (const { node, value: { memberStatus, hostnames } } of answers) {
      const id = memberStatus?.memberId ?? 0n;
      yield {
        node,
        member: hexadecimal(id),
        hostname: hostnames.get(id) ?? "",
        dbSize: Number(memberStatus?.dbSize ?? 0),
        dbSizeInUse: Number(memberStatus?.dbSizeInUse ?? 0),
        leader: hexadecimal(memberStatus?.leader ?? 0n),
        raftIndex: Number(memberStatus?.raftIndex ?? 0),
        raftTerm: Number(memberStatus?.raftTerm ?? 0),
        raftAppliedIndex: Number(memberStatus?.raftAppliedIndex ?? 0),
        learner: memberStatus?.isLearner ?? false,
        protocol: memberStatus?.protocolVersion ?? "",
        storage: memberStatus?.storageVersion ?? "",
        errors: memberStatus?.errors ?? [],
      };
    }
  },
};

function inUse({ dbSize, dbSizeInUse }: EtcdStatusRow): string {
  const share = dbSize === 0 ? 0 : dbSizeInUse / dbSize * 100;
  return `${bytesText(dbSizeInUse)} (${share.toFixed(2)}%)`;
}

/** Host names of members by id, for people: without them, the status is complete. */
async function readHostnames(
  machine: NodeClient["machine"],
): Promise<ReadonlyMap<bigint, string>> {
  try {
    const { messages } = await machine.etcdMemberList({ queryLocal: true });
    const { members } = single(messages);
    return new Map(members.map(({ id, hostname }) => [id, hostname]));
  } catch (error) {
    if (error instanceof OsctlError) return new Map();
    throw error;
  }
}

function formatRole({ member, leader, learner }: EtcdStatusRow): string {
  if (learner) return "learner";
  if (leader === hexadecimal(0n)) return "no leader";
  return member === leader ? "leader" : "follower";
}
