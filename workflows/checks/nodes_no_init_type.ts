import { readNodeDocument } from "../operations/node_document.ts";
import type { Check } from "./check.ts";
import { counted, groupField, groupOf, problemsOf, unless } from "./finding.ts";

/** Whether no node would begin an etcd of its own when it finds none. */
export const nodesNoInitType: Check = {
  name: "nodes.noInitType",
  summary:
    "No node has the machine type init, which begins a cluster by itself",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await groupOf(site, input);
    const problems = await problemsOf(site, nodes, async (client) => {
      const type = (await readNodeDocument(client))?.get("machine", "type")
        .text();
      if (type === undefined) return "it does not show its configuration";
      return type === "init"
        ? "its machine type is init; make it controlplane"
        : undefined;
    });
    return unless(problems, `${counted(nodes.length, "node")} without`);
  },
};
