import { OsctlError } from "../../errors.ts";
import { clusterMembers, type Member } from "../../transport/members.ts";
import { memberNamed } from "../operations/cluster_view.ts";
import type { Check, CheckSite } from "./check.ts";
import { counted, unless } from "./finding.ts";

/** Whether the nodes of the cluster are still those the run was planned for. */
export const nodesMembershipUnchanged: Check = {
  name: "nodes.membershipUnchanged",
  summary: "No node has joined or left since the run was planned",
  scope: "cluster",
  input: {},
  async look(site) {
    const planned = await site.group();
    const present = await presentMembers(site);
    const known = new Set(planned);
    return unless([
      ...planned.filter((node) => memberNamed(present, node) === undefined)
        .map((node) => `${node} has left`),
      ...present.filter(({ address, hostname }) =>
        !known.has(address) && !known.has(hostname)
      ).map(({ hostname }) => `${hostname} has joined`),
    ], counted(planned.length, "node"));
  },
};

/** The view keeps the members it saw first, so a control plane is asked. */
async function presentMembers(
  { cluster }: Pick<CheckSite, "cluster">,
): Promise<readonly Member[]> {
  let failure = new OsctlError(
    "Cannot list the members of the cluster: no control plane is known",
  );
  for (const { address, controlPlane } of await cluster.members()) {
    if (!controlPlane) continue;
    try {
      // The next one is asked only when this one cannot answer.
      return await clusterMembers(await cluster.at(address));
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      failure = error;
    }
  }
  throw failure;
}
