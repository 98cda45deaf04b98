import { RefusedError, UsageError } from "../../errors.ts";
import type { ChangeEnvironment } from "../../workflows/operations/change.ts";
import { etcdRemoveMember } from "../../workflows/operations/etcd/leave.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import {
  type ClusterEtcd,
  membersNamed,
} from "../../workflows/etcd/etcd_facts.ts";
import { type AnyCommand, type Values, word } from "../_kit/mod.ts";
import { type Change, changing, operateInputs } from "../_kit/operate.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";

const inputs = {
  member: word("member id, 16 hexadecimal digits, or hostname"),
  ...operateInputs,
};

export const change = {
  operation: etcdRemoveMember,
  async prepare(values, found) {
    const clock = makeClock(found.environment);
    const etcd = await viewCluster(found.nodes, clock).readEtcd();
    const member = parseId(values.member, etcd);
    const node = await askedNode(found, etcd, member);
    return { input: { member }, names: [node] };
  },
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Remove a broken member from etcd",
  description:
    `For members whose node is gone or broken; otherwise use "osctl etcd leave". Give the member id, or its
hostname if only one member has it. Without --nodes, osctl uses any reachable control plane and reports which.`,
  inputs,
  examples: ["etcd remove-member 2a1f6b0c9d8e7f60"],
  ...changing,
};

function parseId(text: string, { facts }: ClusterEtcd): string {
  const named = membersNamed(text, facts);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only.id;
  throw new UsageError(
    named.length > 1
      ? `"${text}" is the hostname of ${named.length} etcd members`
      : `"${text}" is not an etcd member`,
    {
      hint: `Members: ${
        facts.members.map(({ id, name }) => `${id} ${name}`.trim()).join(", ")
      }`,
    },
  );
}

/** A control plane other than the one of the member. */
async function askedNode(
  { globals, nodes, note }: ChangeEnvironment,
  { facts, memberOf }: ClusterEtcd,
  member: string,
): Promise<string> {
  if (globals.nodes.length > 0) {
    return (await nodes.only("etcd remove-member")).node;
  }
  const found = [...memberOf].find(([, id]) =>
    id !== member && facts.healthy.includes(id)
  );
  if (found === undefined) {
    throw new RefusedError("No other etcd member is healthy", {
      hint: "See: osctl etcd status --nodes @controlplane",
    });
  }
  note(`asking ${found[0]}`);
  return found[0];
}
