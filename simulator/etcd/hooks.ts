/** What upgrades and resets of a node need of its etcd. */

import type { EtcdHooks } from "../node/etcd_hooks.ts";
import type { SimulatedNode } from "../node/node.ts";
import { memberIdText } from "./database.ts";
import type { EtcdMember } from "./etcd.ts";
import { leaveCluster } from "./leave.ts";
import { askMember } from "./member_access.ts";

/** Makes the hooks of a node; they are no work on a worker. */
export function etcdHooks(node: SimulatedNode): EtcdHooks {
  return {
    async checkUpgrade() {
      if (node.identity.machineType === "worker") return;
      const members = await askMember(node, (client) => client.members());
      if (members.length === 2) {
        throw new Error(
          "etcd member count(2) is insufficient to maintain quorum if upgrade commences",
        );
      }
      await Promise.all(members.map((member) => checkMember(node, member)));
    },
    async leave() {
      if (!await node.etcd.server.hasData()) return;
      const state = node.services.get("etcd")?.state ?? "";
      if (!member.has(state)) return;
      await leaveCluster(node, node.running.signal);
    },
    wipe() {
      // What kept it from running was in its data.
      node.faults.delete("etcd-stopped");
      return node.etcd.server.wipe();
    },
  };
}

/** States of the service in which the node counts as a member. */
const member: ReadonlySet<string> = new Set(["Running", "Stopping", "Failed"]);

async function checkMember(
  { cluster, running }: SimulatedNode,
  { id, name }: EtcdMember,
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
    await other?.etcd.server.client.checkQuorum(running.signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${start} healthy; all members must be healthy to perform an upgrade: ${why}`,
    );
  }
}
