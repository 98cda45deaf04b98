import { memberNamed } from "../operations/cluster_view.ts";
import type { Check } from "./check.ts";
import { counted, unless } from "./finding.ts";
import { presentMembers } from "./present_members.ts";

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
