import { single } from "../../transport/call/reply.ts";
import { hexadecimal } from "../../workflows/etcd/etcd_facts.ts";
import { clusterTable, type Command } from "../_kit/mod.ts";
import { readControlPlanes } from "../_kit/one_node.ts";

/** A member as listed by a node. Source: `MachineService.EtcdMemberList`. */
interface MemberRow {
  readonly node: string;
  /** Member id, 16 hexadecimal digits. */
  readonly id: string;
  /** Hostname of the member's node; empty if it never started. */
  readonly hostname: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  /** True for a non-voting member. */
  readonly learner: boolean;
}

export const command: Command<MemberRow> = {
  summary: "List etcd members",
  description:
    "Each control plane lists the members it knows. If the lists differ, a member has lost contact. A terminal shows equal lists once; -o wide shows the list of each node.",
  aliases: ["etcd member", "etcd ls"],
  inputs: {},
  examples: ["etcd members --nodes 10.0.0.2", "etcd members -n @controlplane"],
  view: clusterTable({
    NODE: { cell: ({ node }) => node, name: true },
    ID: { cell: ({ id }) => id, priority: 1 },
    HOSTNAME: { cell: ({ hostname }) => hostname, name: true },
    "PEER URLS": urlColumn(({ peerUrls }) => peerUrls, 3),
    "CLIENT URLS": urlColumn(({ clientUrls }) => clientUrls, 4),
    LEARNER: {
      cell: ({ learner }) => String(learner),
      tone: ({ learner }) => learner ? "changing" : undefined,
      priority: 2,
    },
  }),
  async *run(context) {
    const nodes = await readControlPlanes(context);
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.etcdMemberList({ queryLocal: true })).messages)
    );
    for await (const { node, value: { members } } of answers) {
      for (const { id, isLearner, ...member } of members) {
        const { hostname, peerUrls, clientUrls } = member;
        const row = { node, id: hexadecimal(id), hostname };
        yield { ...row, peerUrls, clientUrls, learner: isLearner };
      }
    }
  },
};

/** A column of URLs; a narrow terminal has their hosts and ports. */
function urlColumn(
  urls: (row: MemberRow) => readonly string[],
  priority: number,
) {
  return {
    cell: (row: MemberRow) => urls(row).join(","),
    short: (row: MemberRow) =>
      urls(row).map((url) => url.replace(/^https?:\/\//, "")).join(","),
    priority,
  };
}
