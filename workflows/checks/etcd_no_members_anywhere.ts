import { readDataDir } from "../runbooks/node_parts.ts";
import type { Check } from "./check.ts";
import {
  controlPlanesOf,
  counted,
  groupField,
  problemsOf,
  unless,
} from "./finding.ts";
import { readService } from "./service_state.ts";

/** Whether no control plane runs etcd or has data of it, so that a new one can be begun. */
export const etcdNoMembersAnywhere: Check = {
  name: "etcd.noMembersAnywhere",
  summary: "No control plane runs etcd, or has data of it",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await controlPlanesOf(site, input);
    const problems = await problemsOf(site, nodes, async (client) => {
      const [service, folder] = await Promise.all([
        readService(client, "etcd"),
        readDataDir(client),
      ]);
      if (service?.state === "Running") return "etcd runs";
      if (folder === "empty") return undefined;
      return folder === "data"
        ? "there is data of etcd"
        : "it does not show the folder of etcd";
    });
    return unless(
      problems,
      `${counted(nodes.length, "control plane")} without`,
    );
  },
};
